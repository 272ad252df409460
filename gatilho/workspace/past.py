"""The past of a branch: its last commits, what each of them wrote, and all files before the first and after the last.

A merge is one commit here, with all that it brought: a step in which the branch changed.
"""

from collections.abc import Callable
from functools import cached_property

from gatilho.git import query
from gatilho.git.root import Repository
from gatilho.index.marks import marks_of_file
from gatilho.model import Value
from gatilho.tables import is_below_store
from gatilho.triggers.paths import normalise
from gatilho.workspace.reach import Reach
from gatilho.workspace.renames import RenamedFiles
from gatilho.workspace.tracked import shallow_commits

NOTHING = "000000"  # the mode of a file that is not there
_REGULAR = ("100644", "100755")
# Changed files of all commits together; a history with more of them is cut at its old end.
_MOST_CHANGES = 1_000_000
_RANGE = ("log", "-z", "--raw", "--first-parent", "-m", "--root", "--no-relative", "--no-color", "--no-notes")
_LOG = (
    *_RANGE, "--no-renames", "--no-abbrev", "--no-show-signature", "--ignore-submodules=none", "--format=%x00%H %ct",
)  # fmt: skip
# Of renames that take git longer, or whose contents a partial clone lacks, nothing is known: names are what they are.
_RENAMES = (*_RANGE, "--find-renames", "-l1000", "--diff-filter=R", "--no-show-signature", "--format=%x00%H")
_PATIENCE_FOR_RENAMES = 8


class PastChange(Value):
    """A file that a commit wrote or removed: modes and blobs before and after, NOTHING where it was not there."""

    name: str
    old_mode: str
    old_blob: str
    mode: str
    blob: str

    @property
    def sides(self) -> tuple[tuple[str, str], ...]:
        return (self.old_mode, self.old_blob), (self.mode, self.blob)


class PastCommit(Value):
    """One commit. when: of its committer, in seconds since 1970."""

    id: str
    when: int
    changes: tuple[PastChange, ...]


class Past:
    """The last commits, oldest first; now: (mode, blob) by name after the last; renamed: see RenamedFiles."""

    def __init__(
        self,
        commits: list[PastCommit],
        now: dict[str, tuple[str, str]],
        since: str = "",
        renamed: list[tuple[int, str, str]] | None = None,
    ) -> None:
        self.commits = commits
        self.now = now
        self.since = since
        self.renamed = RenamedFiles(renamed or [])

    @cached_property
    def before(self) -> dict[str, tuple[str, str]]:
        """Return the files before the first commit: those of today with every commit undone."""
        files = dict(self.now)
        for commit in reversed(self.commits):
            for change in commit.changes:
                if change.old_mode == NOTHING:
                    files.pop(change.name, None)
                else:
                    files[change.name] = (change.old_mode, change.old_blob)
        return files

    @cached_property
    def reach(self) -> Reach:
        """Return every name that a commit wrote or that is there today, ready to be searched by many patterns."""
        names = dict.fromkeys(self.now)
        names.update(dict.fromkeys(self.written))
        return Reach(list(names))

    @cached_property
    def written(self) -> dict[str, list[int]]:
        """Return the numbers of the commits that wrote or removed a file of each name, one of its later names too."""
        found: dict[str, list[int]] = {}
        for number in range(len(self.commits)):
            for name in self.names_in(number):
                found.setdefault(name, []).append(number)
        return found

    def knows(self, name: str) -> bool:
        """Return whether a file of that name is there today, or was written."""
        return name in self.now or name in self.written

    def names_in(self, number: int) -> dict[str, None]:
        """Return the names that a commit wrote or removed, with those that its files got later."""
        names = dict.fromkeys(change.name for change in self.commits[number].changes)
        for change in self.commits[number].changes if self.renamed else ():
            names.update(dict.fromkeys(self.renamed.later(change.name, number, with_store=change.mode == NOTHING)))
        return names

    def commits_that_wrote(self, names: list[str] | set[str]) -> list[int]:
        """Return the numbers of the commits that wrote or removed one of the names, in order."""
        return sorted({number for name in names for number in self.written.get(name, ())})

    def commits_that_wrote_marks(self, marks: set[str], read: Callable[[str], bytes]) -> dict[str, set[int]]:
        """Return the numbers of the commits that wrote a file with each mark. read: returns the bytes of a blob."""
        known: dict[str, set[str]] = {}
        found: dict[str, set[int]] = {mark: set() for mark in marks}
        for number, commit in enumerate(self.commits):
            for change in commit.changes:
                if is_below_store(change.name):
                    continue
                for blob in [blob for mode, blob in change.sides if mode in _REGULAR]:
                    if blob not in known:
                        known[blob] = marks & _marks_of_blob(blob, read)
                    for mark in known[blob]:
                        found[mark].add(number)
        return found

    def comes_and_goes(self, names: list[str]) -> bool:
        """Return whether files of these names were made in several commits, and removed in some."""
        wanted = set(names)
        changes = [(number, one) for number, commit in enumerate(self.commits) for one in commit.changes]
        made = {number for number, one in changes if one.name in wanted and one.old_mode == NOTHING}
        return len(made) > 1 and any(one.name in wanted and one.mode == NOTHING for _, one in changes)

    def last_removal(self, names: list[str]) -> tuple[str, str]:
        """Return the name that was removed last, and the commit that removed it; both "" where none was."""
        wanted = set(names)
        for commit in reversed(self.commits):
            for one in commit.changes:
                if one.name in wanted and one.mode == NOTHING:
                    return one.name, commit.id
        return "", ""


def _marks_of_blob(blob: str, read: Callable[[str], bytes]) -> set[str]:
    try:
        return marks_of_file(read(blob))
    except ValueError:  # a partial clone lacks it
        return set()


def load_past(repository: Repository, most: int, seconds: float = 120) -> Past | None:
    """Return the same as `read_past`, None where git cannot say, or takes longer."""
    try:
        return read_past(repository, most, seconds=seconds)
    except OSError:
        return None


def read_past(repository: Repository, most: int, since: str = "", seconds: float = 120) -> Past:
    """Return the last commits of HEAD, at most `most` (0: all) and only those that the commit `since` lacks.

    Raises OSError with what git says where it fails, or takes longer.
    """
    which = (*([f"-n{most}"] if most else []), f"{since}..HEAD" if since else "HEAD", "--")
    logged = query.run(repository.root, *_LOG, *which, seconds=seconds)
    listed = query.run(repository.root, "ls-tree", "-r", "-z", "--full-tree", "HEAD", seconds=seconds)
    if logged.status or listed.status:
        raise OSError(logged.said or listed.said)
    ends = shallow_commits(repository.common_dir)
    commits = []
    changes = 0
    for commit in _parse_log(logged.out):
        changes += len(commit.changes)
        if commit.id in ends or changes > _MOST_CHANGES:
            break  # a shallow clone shows its oldest commit as if it had written everything
        commits.append(commit)
    commits.reverse()
    now = dict(_parse_listed(query.decoded(line)) for line in listed.out.split(b"\0") if line)
    return Past(commits, now, since, _renamed(repository, commits, which, seconds))


def _renamed(
    repository: Repository, commits: list[PastCommit], which: tuple[str, ...], seconds: float
) -> list[tuple[int, str, str]]:
    """Return (number, old name, new name) of the files that commits renamed; "" for one that was removed meanwhile."""
    if not any(_adds_and_removes(commit) for commit in commits):
        return []
    said = query.ask(repository.root, *_RENAMES, *which, seconds=min(seconds, _PATIENCE_FOR_RENAMES))
    numbers = {commit.id: number for number, commit in enumerate(commits)}
    found = []
    number: int | None = None
    fields = iter((said or b"").split(b"\0"))
    for field in fields:
        field = field.lstrip(b"\n")
        if field.startswith(b":"):
            old, new = _name(next(fields)), _name(next(fields))
            found += [(number, old, new)] if number is not None else []
        elif field:
            number = numbers.get(field.decode("ascii"))
    known = {(number, old) for number, old, _ in found}
    olds = {old for _, old, _ in found}
    changes = [(number, one.name, one.mode) for number, commit in enumerate(commits) for one in commit.changes]
    gone = [(number, name, "") for number, name, mode in changes if mode == NOTHING and name in olds]
    return found + [one for one in gone if one[:2] not in known]


def _adds_and_removes(commit: PastCommit) -> bool:
    return any(one.mode == NOTHING for one in commit.changes) and any(one.old_mode == NOTHING for one in commit.changes)


def _parse_log(said: bytes) -> list[PastCommit]:
    """Parse the log: a commit's line, then for each file a line of modes, blobs and a letter, and its name."""
    found: list[tuple[str, int, list[PastChange]]] = []
    fields = iter(said.split(b"\0"))
    for field in fields:
        field = field.lstrip(b"\n")
        if field.startswith(b":"):
            old_mode, mode, old_blob, blob, _ = field[1:].decode("ascii").split(" ")
            found[-1][2].append(PastChange(_name(next(fields)), old_mode, old_blob, mode, blob))
        elif field:
            commit, _, when = field.decode("ascii").partition(" ")
            found.append((commit, int(when), []))
    return [PastCommit(commit, when, tuple(changes)) for commit, when, changes in found]


def _parse_listed(line: str) -> tuple[str, tuple[str, str]]:
    facts, _, name = line.partition("\t")
    mode, _, blob = facts.split(" ")
    return normalise(name), (mode, blob)


def _name(raw: bytes) -> str:
    return normalise(query.decoded(raw))
