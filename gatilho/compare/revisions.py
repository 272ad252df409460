"""Revisions, the index and the working tree of a repository as files. Objects are read, nothing is written."""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from shutil import which

from gatilho import bounded, tables
from gatilho.conditions.listed_tree import LINK, SUBMODULE, ListedFile
from gatilho.errors import GatilhoError, UsageError
from gatilho.git import query
from gatilho.git.nested import nested_stores
from gatilho.git.query import decoded
from gatilho.git.root import Repository
from gatilho.model import Value
from gatilho.workspace.tracked import shallow_commits

COMMIT, INDEX, TREE, NOTHING = "commit", "index", "tree", "nothing"
_CONFIGURATION = ("gatilho.toml", "pyproject.toml")
_SHORT = 10
_REFETCH = "git fetch --refetch --no-filter"
# What git, and GitPython for it, say where an object is missing.
_OF_MISSING = ("promisor remote", "lazy fetching", "SHA ")
_MOST_LINKS = 5  # from link to link, in a tree
_OF_OUR_SIDE = ("0", "2")  # stages: of a file that is in conflict, our version
_PATIENCE = 60  # seconds; histories are long
_PATIENCE_FOR_NAMES = 10
_ENVIRONMENT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE")


class Side(Value):
    """One side of a comparison. kind: COMMIT, INDEX, TREE or NOTHING (HEAD before the first commit).

    commit: the full id where there is one. name: what a person calls it.
    """

    kind: str
    commit: str = ""
    name: str = ""

    def __str__(self) -> str:
        short = self.commit[:_SHORT]
        return f"{self.name} ({short})" if short and not self.commit.startswith(self.name) else self.name or short


class Revisions:
    """One repository's revisions; close it, or use it in a `with`, so that no process of git's is left over."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._environ = _environment(repository)
        if which("git") is None:
            raise UsageError("git cannot be used: no such program is on PATH. Install git.")
        self._objects = query.Objects(repository.root, self._environ)
        self._blobs: dict[str, bytes] = {}
        self._commits: dict[str, str] = {}
        self._listings: dict[str, bytes] = {}

    def __enter__(self) -> "Revisions":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that serve objects."""
        self._objects.close()

    def find(self, name: str) -> str:
        """Return the full id of the commit that a name means, "" where it means none."""
        # A name is a person's text: git must not take it for an option or an exclusion.
        if not name or name.startswith(("-", "^")) or "\0" in name or "\n" in name:
            return ""
        if name not in self._commits:
            status, out, _ = self._run(["rev-parse", "--verify", "--quiet", name + "^{commit}"], _PATIENCE_FOR_NAMES)
            self._commits[name] = out.decode("ascii", "replace").strip() if status == 0 else ""
        return self._commits[name]

    def side(self, name: str) -> Side:
        """Return the commit of that name; raises UsageError with what may have been meant where there is none."""
        commit = self.find(name)
        if commit:
            return Side(COMMIT, commit, name)
        if name == "HEAD":
            return Side(NOTHING, name="HEAD (no commit yet)")
        raise UsageError(f"there is no revision {name!r} here. {self._hint(name)}")

    def merge_base(self, one: str, other: str) -> str:
        """Return the commit from where two commits parted, "" where none is known."""
        if one == other:
            return one
        status, out, _ = self._run(["merge-base", one, other])
        return out.split(b"\n", 1)[0].decode("ascii", "replace") if status == 0 else ""

    def count_missing(self, commit: str, other: str) -> int:
        """Return how many commits of `commit`'s history `other` lacks."""
        if commit == other:
            return 0
        status, out, _ = self._run(["rev-list", "--count", f"{other}..{commit}"])
        return int(out) if status == 0 and out.strip().isdigit() else 0

    def boundaries(self) -> frozenset[str]:
        """Return the commits after which a shallow clone knows no history."""
        return shallow_commits(self.repository.common_dir)

    def what_is_lacking(self, error: str) -> str:
        """Return what brings the objects of which git says that they are missing here.

        "" for any other error, and where the clone is not a partial one.
        """
        if not any(sign in error for sign in _OF_MISSING):
            return ""
        partial = query.ask(self.repository.root, "config", "--get-regexp", r"^remote\..*\.promisor$")
        return f"This clone is partial and lacks a part of the history: `{_REFETCH}` brings it." if partial else ""

    def store_files(self, side: Side) -> dict[str, bytes]:
        """Return the bytes of the store's tables, its ledger and the configuration, by name relative to the root."""
        if side.kind == TREE:
            return self._files_on_disk()
        listed = self._listed(side, tables.FOLDER, *_CONFIGURATION)
        wanted = {name: one for name, one in listed.items() if tables.is_store_file(name) or name in _CONFIGURATION}
        return {name: data for name, one in wanted.items() if (data := self._content(side, name, one)) is not None}

    @cached_property
    def nested(self) -> list[str]:
        """Return the folders with nested stores, as git lists them in the working tree and the index."""
        return nested_stores(self.repository.root) or []

    def is_submodule(self, side: Side) -> bool:
        """Return whether the store is a repository of its own there, whose rows this one does not hold."""
        store = self._listed(side, tables.FOLDER).get(tables.FOLDER) if side.kind in (COMMIT, INDEX) else None
        return store is not None and store.mode == SUBMODULE

    def listing(self, side: Side) -> "dict[str, ListedFile]":
        """Return every tracked file by its name; of a working tree, those of the index."""
        return self._listed(side)

    def untracked_names(self) -> list[str]:
        """Return the files of the working tree that git neither tracks nor ignores."""
        names = self._ask(["ls-files", "--others", "--exclude-standard", "-z"]).split(b"\0")
        return [decoded(name) for name in names if name]

    def renames(self, before: Side, after: Side) -> dict[str, str]:
        """Return the new names of the files that git takes for renamed, by the old ones; of a working tree, the staged.

        Trees are compared, so no filter that the repository configures is run.
        """
        if before.kind != COMMIT:
            return {}
        command = ["diff-tree", "-r"] if after.kind == COMMIT else ["diff-index", "--cached"]
        sides = [before.commit, after.commit] if after.kind == COMMIT else [before.commit]
        out = self._ask([*command, "--find-renames", "--diff-filter=R", "--name-status", "--no-ext-diff", "-z", *sides])
        fields = [decoded(field) for field in out.split(b"\0")]
        # Three fields each: the status with its score, the old name, the new one.
        return dict(zip(fields[1::3], fields[2::3]))

    def blob(self, blob: str) -> bytes:
        """Return the exact bytes of a blob by its id; raises GatilhoError where the repository lacks it."""
        try:
            return self._objects.read(blob)
        except ValueError as error:
            self.close()
            message = f"git cannot read the object {blob}, which a revision needs ({error}). `git fsck` says more."
            raise GatilhoError(self.what_is_lacking(str(error)) or message) from error

    def log(self, arguments: Sequence[str], paths: Sequence[str]) -> Iterator[bytes]:
        """Yield what one `git log` over the paths prints, in chunks while it works; raises GatilhoError."""
        command = ("log", *arguments, "--", *paths)
        try:
            yield from query.stream(self.repository.root, *command, environ=self._environ)
        except OSError as error:
            raise GatilhoError(self.what_is_lacking(str(error)) or f"git log failed: {error}") from error

    def moment(self, words: str) -> int:
        """Return the seconds since 1970 that git reads in words such as `2 weeks ago`, 0 where it reads none."""
        status, out, _ = self._run(["rev-parse", f"--since={words}"])
        text = out.decode("ascii", "replace").strip().removeprefix("--max-age=")
        return int(text) if status == 0 and text.isdigit() else 0

    def time_of(self, commit: str) -> int:
        """Return when a commit was made, in seconds since 1970."""
        return int(self._ask(["log", "-1", "--format=%ct", "--no-show-signature", commit]) or 0)

    def _hint(self, name: str) -> str:
        if self.find(f"origin/{name}"):
            return f"Did you mean origin/{name}?"
        if self.boundaries():
            # What a fetch names becomes known here under the name that it is given, a commit by its id alone.
            is_id = len(name) >= 40 and not name.strip("0123456789abcdef")
            wanted = name if is_id else f"{name}:{name}"
            is_name = not any(mark in name for mark in "~^@: ")
            also = f" or `git fetch origin {wanted}`" if is_name else ""
            return f"This clone is shallow: `git fetch --unshallow`{also} may bring it."
        return "`git branch --all` lists the branches."

    def _files_on_disk(self) -> dict[str, bytes]:
        """Return what the working tree holds; what a sparse checkout leaves out of it is there as the index has it."""
        root = self.repository.root
        paths = [f"{root}/{name}" for name in _CONFIGURATION]
        for store in tables.own_stores(root, self.nested):
            paths += tables.documents_of(store)
            paths += (f"{store.ledger}/{name}" for name in tables.ledger_files(store))
        found = {path[len(root) + 1 :]: data for path in paths if (data := _read(path)) is not None}
        index = Side(INDEX)
        for name, one in self._listed(index, tables.FOLDER).items():
            if one.left_out and name not in found and tables.is_store_file(name):
                data = self._content(index, name, one)
                if data is not None:
                    found[name] = data
        return found

    def _listed(self, side: Side, *parts: str) -> dict[str, ListedFile]:
        """Return the files that have one of these parts in their names, all files without any part."""
        read = _read_tree_line if side.kind == COMMIT else _read_index_line
        wanted = [part.encode("utf-8", "surrogateescape") for part in parts or ("",)]
        lines = (line for line in self._listing_of(side).split(b"\0") if line and any(one in line for one in wanted))
        return {name: one for name, one, stage in map(read, lines) if stage in _OF_OUR_SIDE}

    def _listing_of(self, side: Side) -> bytes:
        """Return what git prints for all files of a side; it is asked once, for a tree matches no pattern."""
        key = side.commit or ("" if side.kind == NOTHING else INDEX)
        if key and key not in self._listings:
            of_tree = ["ls-tree", "-r", "-z", "--full-tree", side.commit]
            self._listings[key] = self._ask(of_tree if side.commit else ["ls-files", "-s", "-t", "-z"])
        return self._listings.get(key, b"")

    def _content(self, side: Side, name: str, one: ListedFile) -> bytes | None:
        """Return the bytes after an entry, links followed inside of the tree; None where there are none."""
        for _ in range(_MOST_LINKS):
            if one.mode == SUBMODULE:
                return None
            if one.mode != LINK:
                return self.kept_blob(one.blob)
            target = os.path.join(os.path.dirname(name), decoded(self.kept_blob(one.blob)))
            name = os.path.normpath(target).replace("\\", "/")
            if name.startswith(("../", "/")):
                return None
            followed = self._listed(side, name).get(name)
            if followed is None:
                return None
            one = followed
        return None

    def kept_blob(self, blob: str) -> bytes:
        """Return the same, read once: most files are equal on both sides of a comparison."""
        if blob not in self._blobs:
            self._blobs[blob] = self.blob(blob)
        return self._blobs[blob]

    def _ask(self, arguments: Sequence[str]) -> bytes:
        status, out, said = self._run(arguments)
        if status:
            why = f"git {arguments[0]} failed: {said.strip() or 'it does not say why'}"
            raise GatilhoError(self.what_is_lacking(said) or why)
        return out

    def _run(self, arguments: Sequence[str], seconds: float = _PATIENCE) -> tuple[int, bytes, str]:
        done = query.run(
            self.repository.root, "--literal-pathspecs", *arguments, seconds=seconds, environ=self._environ
        )
        if done.status == query.NOT_RUN:  # what it did not answer must not pass for "there is none"
            raise GatilhoError(
                f"git {arguments[0]} gave no answer ({done.said}). `find .git -type p` names pipes, for which it waits."
            )
        return done.status, done.out, done.said


def _environment(repository: Repository) -> dict[str, str]:
    elsewhere = any(name in os.environ for name in _ENVIRONMENT)
    return {**os.environ, **(_named(repository) if elsewhere else {})}


def _named(repository: Repository) -> dict[str, str]:
    """Return the repository in git's own variables: inside a git hook they may name another one."""
    index = os.path.abspath(os.path.join(repository.root, os.environ.get("GIT_INDEX_FILE") or "/"))
    # `git commit PATH` runs its hooks with a temporary index in the git directory, and that is what is committed.
    own = index.replace("\\", "/").startswith(repository.git_dir + "/")
    return {
        "GIT_DIR": repository.git_dir,
        "GIT_WORK_TREE": repository.root,
        "GIT_COMMON_DIR": repository.common_dir,
        "GIT_INDEX_FILE": index if own else f"{repository.git_dir}/index",
    }


def _read(path: str) -> bytes | None:
    """Return the bytes of a regular file, None where there is none; a FIFO would be waited for."""
    try:
        return bounded.read(path) if os.path.isfile(path) else None
    except OSError as error:
        raise GatilhoError(f"{path} cannot be read ({error.strerror or error}), so its rows are unknown.") from error


def _read_tree_line(line: bytes) -> tuple[str, ListedFile, str]:
    facts, _, name = line.partition(b"\t")
    mode, _, blob = facts.decode("ascii").split(" ")
    return decoded(name), ListedFile(mode, blob), "0"


def _read_index_line(line: bytes) -> tuple[str, ListedFile, str]:
    facts, _, name = line.partition(b"\t")
    tag, mode, blob, stage = facts.decode("ascii").split(" ")
    return decoded(name), ListedFile(mode, blob, tag in "Ss"), stage
