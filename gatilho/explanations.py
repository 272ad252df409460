"""What each code of a problem means: the sections of `docs/checks.md`, which the installed package holds, too."""

import os

from gatilho import HOMEPAGE, bounded
from gatilho.errors import GatilhoError

_HERE = os.path.dirname(os.path.abspath(__file__))
# In the installed package, and in a checkout.
_PLACES = (os.path.join(_HERE, "checks.md"), os.path.join(os.path.dirname(_HERE), "docs", "checks.md"))
_HEADING = "\n## "


def sections() -> dict[str, str]:
    """Return the sections in Markdown, their headings included, by their codes, in order."""
    parts = _page().split(_HEADING)[1:]
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}


def section(code: str) -> str:
    """Return the section of a code, "" where it has none."""
    return sections().get(code, "")


def link(code: str) -> str:
    """Return the address of a code's section."""
    return f"{HOMEPAGE}/blob/main/docs/checks.md#{code.lower()}"


def _page() -> str:
    for path in _PLACES:
        if os.path.isfile(path):
            return bounded.read(path).decode("utf-8").replace("\r\n", "\n")
    raise GatilhoError("the page of problems is not installed; install gatilho again.")
