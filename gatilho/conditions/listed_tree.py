"""Files as git lists them, for conditions: modes and blobs by name, contents from git's objects alone."""

from collections.abc import Mapping
from functools import cached_property

from gatilho.conditions.tree import MISSING, Tree, Unreadable
from gatilho.model import Value

_DIRECTORY, _REGULAR = 0o040000, 0o100644
LINK, SUBMODULE = "120000", "160000"
_LFS = b"version https://git-lfs.github.com/spec/"


class ListedFile(Value):
    """A file as a tree or the index lists it. left_out: a sparse checkout keeps it from the working tree."""

    mode: str
    blob: str
    left_out: bool = False


class ListedTree(Tree):
    """Reads of what git lists; who inherits says what is listed, and where the bytes of a blob are."""

    def __init__(self, root: str) -> None:
        super().__init__(root)
        # What git lists is neither ignored nor missing for conditions.
        self._ignored = self._left_out = frozenset()

    @property
    def files(self) -> Mapping[str, ListedFile]:
        """Return the files by their names."""
        raise NotImplementedError

    def blob_of(self, listed: ListedFile) -> bytes:
        """Return the bytes of a file; raises Unreadable where this clone lacks them, as a partial one may."""
        raise NotImplementedError

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

    def has_folder(self, real: str) -> bool:
        """Return whether a file is listed below a folder."""
        return real in self._folders

    def mode(self, real: str) -> int | None:
        """Return the mode of a path; a submodule is a folder that holds a repository."""
        folder, _, last = real.rpartition("/")
        if last == ".git":
            return _REGULAR if folder in self.files and self.files[folder].mode == SUBMODULE else None
        if real in self.files:
            mode = self.files[real].mode
            return _DIRECTORY if mode == SUBMODULE else int(mode, 8)
        return _DIRECTORY if self.has_folder(real) else None

    def content(self, real: str) -> bytes:
        """Return the bytes of a file."""
        if real not in self.files:
            raise Unreadable(MISSING)
        data = self.blob_of(self.files[real])
        if data.startswith(_LFS):
            raise Unreadable("is kept outside the repository (git lfs)")
        return data

    def listing(self, directory: str) -> list[str]:
        """Return the names in a folder."""
        return sorted(self._folders.get(directory, ()))

    def link(self, real: str) -> str:
        """Return what a link names."""
        return self.content(real).decode("utf-8", "surrogateescape")
