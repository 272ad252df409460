"""Ledger files that a commit left out, as `git commit -am` leaves out every new file."""

from collections.abc import Iterator

from gatilho.model import Problem, ProblemKind
from gatilho.plain import shell_word
from gatilho.workspace.workspace import Workspace, problem_of_file

UNCOMMITTED = ProblemKind("GT904", "error", "a commit has the rides of a ledger file and not the file")
KINDS = (UNCOMMITTED,)
QUICK = True


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield the ledger files that are not committed though the table with their rides is."""
    ignored = workspace.ignored(workspace.uncommitted_ledger_files)
    for name in workspace.uncommitted_ledger_files:
        message = "this ledger file is not committed, but its rides are: a clone counts them wrong"
        remedy = f"run `git add {shell_word(name)}` and commit it"
        if name in ignored:
            message = f"{message}, and git ignores it"
            remedy = f"remove the line that `git check-ignore -v {shell_word(name)}` names, then {remedy}"
        yield problem_of_file(UNCOMMITTED, name, message, remedy)
