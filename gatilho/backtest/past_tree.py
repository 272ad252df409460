"""The files of a branch as conditions see them, commit after commit: from git's objects, each read when needed."""

from collections.abc import Callable, Iterator

from gatilho.conditions.listed_tree import LINK, ListedFile, ListedTree
from gatilho.conditions.tree import Unreadable
from gatilho.git.root import Repository
from gatilho.workspace.past import NOTHING, Past, PastCommit

BEFORE = -1  # the number of the moment before the first commit
# Bytes of blobs that are kept, because several conditions look at one file of a commit.
_KEPT_BYTES = 64_000_000


class PastTree(ListedTree):
    """The files before the first commit; `step` goes on to the next one. number: of the commit they are after."""

    def __init__(self, repository: Repository, past: Past, read: Callable[[str], bytes]) -> None:
        super().__init__(repository.root)
        self._read = read
        self.renamed = past.renamed
        self.number = BEFORE
        self._files = {name: ListedFile(mode, blob) for name, (mode, blob) in past.before.items()}
        self._below: dict[str, int] = {}  # how many files each folder holds, those of its folders included
        self.links = {name for name, one in self._files.items() if one.mode == LINK}
        self._kept: dict[str, bytes] = {}
        self._bytes_kept = 0
        for name in self._files:
            self._count(name, 1)

    @property
    def files(self) -> dict[str, ListedFile]:
        """Return the files by their names."""
        return self._files

    def step(self, commit: PastCommit) -> None:
        """Go on to the files after a commit."""
        self.number += 1
        for change in commit.changes:
            there = change.name in self._files
            if change.mode == NOTHING:
                self._files.pop(change.name, None)
            else:
                self._files[change.name] = ListedFile(change.mode, change.blob)
            (self.links.add if change.mode == LINK else self.links.discard)(change.name)
            if there != (change.mode != NOTHING):
                self._count(change.name, -1 if there else 1)

    def has_folder(self, real: str) -> bool:
        return not real or self._below.get(real, 0) > 0

    def blob_of(self, listed: ListedFile) -> bytes:
        """Return the bytes of a file."""
        data = self._kept.get(listed.blob)
        if data is None:
            try:
                data = self._read(listed.blob)
            except ValueError:
                raise Unreadable("is not in this clone") from None
            if self._bytes_kept + len(data) > _KEPT_BYTES:
                self._kept, self._bytes_kept = {}, 0
            self._kept[listed.blob] = data
            self._bytes_kept += len(data)
        return data

    def then_called(self, path: str, with_store: bool = False) -> str:
        """Return the present name of the file that gets a path later, the path itself where something is there.

        with_store: a path that it gets with the folder of its store.
        """
        if not self.renamed or not self.locate(path).is_missing:
            return path
        names = [name for name in self.renamed.earlier(path) if with_store or name in self._files]
        later = self.renamed.later
        return next((name for name in names if path in later(name, self.number, with_store)), path)

    def _count(self, name: str, number: int) -> None:
        for folder in folders_above(name):
            self._below[folder] = self._below.get(folder, 0) + number


def folders_above(name: str) -> Iterator[str]:
    """Yield the folders that hold a name, the nearest first."""
    folder = name.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
