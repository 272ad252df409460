"""The files of one side of a comparison as conditions see them: of a commit or the index from git's objects alone."""

from functools import cached_property

from gatilho.compare.revisions import TREE, Revisions, Side
from gatilho.conditions.listed_tree import ListedFile, ListedTree
from gatilho.conditions.tree import Tree, Unreadable
from gatilho.errors import GatilhoError


class GitTree(ListedTree):
    """Reads of one side. Each blob is read when it is first asked for, by the one process that serves objects."""

    def __init__(self, opened: Revisions, side: Side) -> None:
        super().__init__(opened.repository.root)
        self._opened = opened
        self._side = side

    @cached_property
    def files(self) -> dict[str, ListedFile]:  # type: ignore[override]
        """Return the files by their names."""
        return self._opened.listing(self._side)

    def blob_of(self, listed: ListedFile) -> bytes:
        """Return the bytes of a file."""
        try:
            return self._opened.kept_blob(listed.blob)
        except GatilhoError:
            raise Unreadable("is not in this clone") from None


class WorkingTree(GitTree):
    """Reads of the files that git tracks or would add: what it ignores the other side cannot have.

    What a sparse checkout leaves out is there as the index has it.
    """

    @cached_property
    def files(self) -> dict[str, ListedFile]:  # type: ignore[override]
        """Return the files of the index and those that are not added yet."""
        new = dict.fromkeys(self._opened.untracked_names(), ListedFile("100644", ""))
        return {**self._opened.listing(self._side), **new}

    @cached_property
    def _disk(self) -> Tree:
        return Tree(self.root)

    def mode(self, real: str) -> int | None:
        """Return the mode of a path on disk; None where git would not see it."""
        known = super().mode(real)
        return known if known is None or self._is_from_index(real) else self._disk.mode(real)

    def content(self, real: str) -> bytes:
        """Return the bytes on disk."""
        return super().content(real) if self._is_from_index(real) else self._disk.content(real)

    def link(self, real: str) -> str:
        """Return what a link names."""
        return super().link(real) if self._is_from_index(real) else self._disk.link(real)

    def _is_from_index(self, real: str) -> bool:
        if real in self.files:
            return self.files[real].left_out
        return self._disk.mode(real) is None  # a folder of which nothing is here


def tree_of(opened: Revisions, side: Side) -> GitTree:
    """Return the files of a side; nothing but git is run for it."""
    return WorkingTree(opened, side) if side.kind == TREE else GitTree(opened, side)
