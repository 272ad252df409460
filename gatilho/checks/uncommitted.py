"""Ledger files that a commit left out, as `git commit -am` leaves out every new file."""

from collections.abc import Iterator

from gatilho.model import Problem, ProblemKind
from gatilho.store.ledger_at_head import ignored
from gatilho.workspace.workspace import Workspace, problem_of_file

UNCOMMITTED = ProblemKind("GT904", "error", "a commit has the rides of a ledger file and not the file")
KINDS = (UNCOMMITTED,)
QUICK = True


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield the ledger files that are not committed though the table with their rides is."""
    names = workspace.uncommitted_ledger_files
    hidden = ignored(workspace.index, names) if names else set()
    for name in names:
        message = "this ledger file is not committed, but its rides are: a clone counts them wrong"
        remedy = f"run `git add {name}` and commit it"
        if name in hidden:
            message = f"{message}, and git ignores it"
            remedy = f"remove the line that `git check-ignore -v {name}` names, then {remedy}"
        yield problem_of_file(UNCOMMITTED, name, message, remedy)
