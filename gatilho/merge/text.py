"""Git's own three-way merge of texts, by `git merge-file`: for prose, and for whatever is not certain."""

import os
from tempfile import TemporaryDirectory

from gatilho.git import query
from gatilho.model import Value

STYLES = ("merge", "diff3", "zdiff3")
# What `git merge-file` answers at most as the number of conflicts; anything above is an error of its own.
_MOST_CONFLICTS = 127
_PATIENCE = 120


class Style(Value):
    """How conflicts are shown. name: merge, diff3 or zdiff3; size: of the markers; labels: ours, base, theirs."""

    name: str
    size: int
    labels: tuple[str, str, str]

    def __init__(
        self, name: str = "merge", size: int = 7, labels: tuple[str, str, str] = ("ours", "base", "theirs")
    ) -> None:
        super().__init__(name if name in STYLES else "merge", size, labels)

    @property
    def shows_base(self) -> bool:
        return self.name != "merge"

    def conflict(self, sides: list[list[bytes]], end: bytes = b"") -> list[bytes]:
        """Return the lines of one conflict of ours, base and theirs. end: what markers have before their line feed."""
        ours, base, theirs = sides
        middle = [self._marker("|", 1) + end, *base] if self.shows_base else []
        equals = b"=" * self.size + end
        return [self._marker("<", 0) + end, *ours, *middle, equals, *theirs, self._marker(">", 2) + end]

    def _marker(self, letter: str, side: int) -> bytes:
        return f"{letter * self.size} {self.labels[side]}".encode("utf-8", "surrogateescape").rstrip()


def merge_text(base: bytes, ours: bytes, theirs: bytes, style: Style) -> tuple[bytes, int]:
    """Merge three texts by lines: the result and how many conflicts it holds.

    Where git cannot do it (bytes that it takes for binary, no git) the result is one conflict of the two whole texts.
    """
    if ours == theirs or theirs == base:
        return ours, 0
    if ours == base:
        return theirs, 0
    for name in dict.fromkeys((style.name, "diff3" if style.shows_base else "merge")):
        merged = _merge_file(base, ours, theirs, style, name)
        if merged is not None:
            return merged
    return _whole(base, ours, theirs, style), 1


def _merge_file(base: bytes, ours: bytes, theirs: bytes, style: Style, name: str) -> tuple[bytes, int] | None:
    """Return what `git merge-file` answers, None where it fails, as it does for a style that it does not know yet."""
    with TemporaryDirectory(prefix="gatilho-") as folder:
        paths = []
        for side, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            paths.append(os.path.join(folder, side))
            with open(paths[-1], "wb") as stream:
                stream.write(data)
        labels = [word for label in style.labels for word in ("-L", label)]
        options = [f"--marker-size={style.size}", *([f"--{name}"] if name != "merge" else []), *labels]
        # The configured style would come through where no option says another.
        command = ("merge-file", "-p", "--quiet", *options, *paths)
        done = query.run(folder, *command, seconds=_PATIENCE, settings=[("merge.conflictStyle", name)])
    return (done.out, done.status) if 0 <= done.status <= _MOST_CONFLICTS else None


def _whole(base: bytes, ours: bytes, theirs: bytes, style: Style) -> bytes:
    sides = [[data.removesuffix(b"\n")] if data else [] for data in (ours, base, theirs)]
    return b"\n".join(style.conflict(sides)) + b"\n"
