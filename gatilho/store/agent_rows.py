"""Which rows an agent added by a command here: agents read so until a commit of a person has the row.

One line for an id, for a commit that an agent made, and for an id that a person's commit has; they lie in the git
directory, and losing them costs that remark.
"""

from gatilho import bounded
from gatilho.git.root import Repository
from gatilho.model import Row

# Bytes; of older rows a person's commit is known by then.
_MOST = 64_000
_COMMIT, _REVIEWED = "commit\t", "reviewed\t"
# Commits of HEAD's history that are looked through, and of those of persons the newest ones that are read.
_LOOKED_THROUGH, _READ = 200, 4


def note_agent_row(repository: Repository, row_id: str) -> None:
    """Remember that an agent added a row."""
    _append(repository, row_id)


def note_agent_commits(repository: Repository, commits: list[str]) -> None:
    """Remember commits that an agent made."""
    if commits:
        _append(repository, *(_COMMIT + commit for commit in commits))


def is_of_agent(repository: Repository, row: Row, is_committed: bool) -> bool:
    """Return whether an agent added the row here and no commit of a person in HEAD's history has it yet.

    is_committed: whether HEAD has it.
    """
    try:
        lines = bounded.tail(repository.agent_rows, _MOST).decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return False
    row_id = row.id.strip()
    if next((line for line in reversed(lines) if line in (row_id, _REVIEWED + row_id)), "") != row_id:
        return False
    ours = {line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)}
    if not is_committed or not _is_in_commit_of_person(repository.root, row, ours):
        return True
    _append(repository, _REVIEWED + row_id)
    return False


def _is_in_commit_of_person(root: str, row: Row, ours: set[str]) -> bool:
    from gatilho.document.rows import read_rows
    from gatilho.git.query import ask

    found = ask(root, "rev-list", f"-{_LOOKED_THROUGH}", "HEAD", "--")
    commits = [commit for commit in (found or b"").decode().split() if commit not in ours]
    for commit in commits[:_READ]:
        data = ask(root, "cat-file", "blob", f"{commit}:{row.file}") or b""
        may_have_it = row.id.encode("utf-8", "surrogateescape") in data
        if may_have_it and any(one.id == row.id for one in read_rows(data, row.file)[0]):
            return True
    return False


def _append(repository: Repository, *lines: str) -> None:
    import os

    from gatilho import files

    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    try:
        os.makedirs(repository.shared_state, exist_ok=True)
        files.append_bytes(repository.agent_rows, data)
    except OSError:
        pass  # a git directory that cannot be written: the remark is done without
