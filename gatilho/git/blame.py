"""Who last changed lines of a file, and when, as git knows it."""

from gatilho.dates import utc_day
from gatilho.git import query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def blamed(root: str, name: str, lines: "Sequence[int]", seconds: float = 10) -> dict[int, tuple[str, str]]:
    """Return the author and the day of each line; lines that are not committed yet are left out."""
    if not lines:
        return {}
    ranges = [word for line in lines for word in ("-L", f"{line},{line}")]
    said = query.ask(root, "blame", "--line-porcelain", "--no-textconv", *ranges, "--", name, seconds=seconds) or b""
    found: dict[int, tuple[str, str]] = {}
    line, author = 0, ""
    for one in said.decode("utf-8", "replace").split("\n"):
        words = one.split(" ")
        if len(words) in (3, 4) and len(words[0]) >= 40:
            line = 0 if set(words[0]) == {"0"} else int(words[2])
        elif line and one.startswith("author "):
            author = one[7:]
        elif line and one.startswith("author-time "):
            found[line] = (author, utc_day(int(words[1])))
    return found
