"""The files of one side of a comparison as conditions see them: of a commit or the index from git's objects alone."""

from functools import cached_property

from gatilho.compare.revisions import TREE, ListedFile, Revisions, Side
from gatilho.conditions.tree import MISSING, Tree, Unreadable
from gatilho.errors import GatilhoError

_DIRECTORY, _REGULAR = 0o040000, 0o100644
_SUBMODULE = "160000"
_LFS = b"version https://git-lfs.github.com/spec/"


class GitTree(Tree):
    """Reads of what git lists. Each blob is read when it is first asked for, by the one process that serves objects."""

    def __init__(self, opened: Revisions, side: Side) -> None:
        super().__init__(opened.repository.root)
        self._opened = opened
        self._side = side

    @cached_property
    def files(self) -> dict[str, ListedFile]:
        """Return the files by their names."""
        return self._opened.listing(self._side)

    @cached_property
    def _folders(self) -> dict[str, set[str]]:
        """Return the names in each folder."""
        found: dict[str, set[str]] = {"": set()}
        for name in self.files:
            while name:
                folder, _, last = name.rpartition("/")
                names = found.setdefault(folder, set())
                if last in names:
                    break  # so its folders are there as well
                names.add(last)
                name = folder
        return found

    @property
    def ignored(self) -> frozenset[str]:
        """Return nothing: what git lists is not ignored."""
        return frozenset()

    def mode(self, real: str) -> int | None:
        """Return the mode of a path; a submodule is a folder that holds a repository."""
        folder, _, last = real.rpartition("/")
        if last == ".git":
            return _REGULAR if folder in self.files and self.files[folder].mode == _SUBMODULE else None
        if real in self.files:
            mode = self.files[real].mode
            return _DIRECTORY if mode == _SUBMODULE else int(mode, 8)
        return _DIRECTORY if real in self._folders else None

    def content(self, real: str) -> bytes:
        """Return the bytes of a file; raises Unreadable where this clone lacks them, as a partial one may."""
        if real not in self.files:
            raise Unreadable(MISSING)
        try:
            data = self._opened.kept_blob(self.files[real].blob)
        except GatilhoError:
            raise Unreadable("is not in this clone") from None
        if data.startswith(_LFS):
            raise Unreadable("is kept outside the repository (git lfs)")
        return data

    def listing(self, directory: str) -> list[str]:
        """Return the names in a folder."""
        return sorted(self._folders.get(directory, ()))

    def link(self, real: str) -> str:
        """Return what a link names."""
        return self.content(real).decode("utf-8", "surrogateescape")


class WorkingTree(GitTree):
    """Reads of the files that git tracks or would add: what it ignores the other side cannot have.

    What a sparse checkout leaves out is there as the index has it.
    """

    @cached_property
    def files(self) -> dict[str, ListedFile]:
        """Return the files of the index and those that are not added yet."""
        new = dict.fromkeys(self._opened.untracked_names(), ListedFile("100644", ""))
        return {**self._opened.listing(self._side), **new}

    @cached_property
    def _disk(self) -> Tree:
        return Tree(self.root)

    def mode(self, real: str) -> int | None:
        """Return the mode of a path on disk; None where git would not see it."""
        known = super().mode(real)
        return known if known is None or self._is_left_out(real) else self._disk.mode(real)

    def content(self, real: str) -> bytes:
        """Return the bytes on disk."""
        return super().content(real) if self._is_left_out(real) else self._disk.content(real)

    def link(self, real: str) -> str:
        """Return what a link names."""
        return super().link(real) if self._is_left_out(real) else self._disk.link(real)

    def _is_left_out(self, real: str) -> bool:
        if real in self.files:
            return self.files[real].left_out
        return self._disk.mode(real) is None  # a folder of which nothing is here


def tree_of(opened: Revisions, side: Side) -> GitTree:
    """Return the files of a side; nothing but git is run for it."""
    return WorkingTree(opened, side) if side.kind == TREE else GitTree(opened, side)
