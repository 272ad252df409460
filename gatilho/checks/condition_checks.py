"""Conditions whose outcome is already known: they hold from the start, or look at files that are not there."""

from collections.abc import Iterator

from gatilho.conditions.allowed import is_allowed
from gatilho.conditions.file_conditions import together
from gatilho.conditions.runnable import why_impossible
from gatilho.conditions.search import UNMARKED
from gatilho.conditions.tree import ENDLESS, LEADS_OUT, LEFT_OUT
from gatilho.document.cells import read_lifecycle
from gatilho.index.index import IndexedRow
from gatilho.lifecycle.state_cell import left_of
from gatilho.memory import similarity
from gatilho.model import Condition, Problem, ProblemKind
from gatilho.plain import shell_word
from gatilho.tables import FOLDER
from gatilho.triggers import patterns
from gatilho.verbs import Outcome, verb_of
from gatilho.workspace.reach import seen_from
from gatilho.workspace.workspace import Workspace

HOLDS_ALREADY = ProblemKind("GT231", "error", "the condition of a new debt is already true")
GONE = ProblemKind("GT232", "warning", "the file of a `lacks` condition is gone")
NO_FILE = ProblemKind("GT233", "note", "a condition matches no file")
COMMAND = ProblemKind("GT234", "note", "a condition names a command that is not allowed on this machine")
OWN_TEXT = ProblemKind("GT235", "warning", "a command searches the store, where its own row is")
IMPOSSIBLE = ProblemKind("GT236", "warning", "a command is never run")
GREW = ProblemKind("GT238", "warning", "more is left of a debt than its state says")
UNREADABLE = ProblemKind("GT237", "note", "a condition looks at a file that cannot be searched")
OF_A_RULE = ProblemKind("GT239", "warning", "a rule has a condition that would pay a debt")
KINDS = (HOLDS_ALREADY, GONE, NO_FILE, COMMAND, OWN_TEXT, IMPOSSIBLE, UNREADABLE, GREW, OF_A_RULE)
BY_ROW = True
# By why a file cannot be searched.
_REMEDIES = {
    LEFT_OUT: "it is looked at in a working tree that has the file: `git sparse-checkout add` brings it",
    LEADS_OUT: "name a file inside the repository, not a link that leads out of it",
    ENDLESS: "let the link lead to a file of the repository, or name that file",
    UNMARKED: "save the file in UTF-8, or in UTF-16 with a byte order mark",
}
_OTHER_FILE = "name a file of the repository that can be read, of at most 5 MB"


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield what the conditions of owed debts come to in the files as they are, and conditions that no debt has.

    Other stores have no files of their own.
    """
    for found in workspace.own_rows:
        if found.row.owed and found.row.conditions:
            yield from _of_debt(workspace, found)
        elif found.row.in_force and found.row.conditions and not found.row.is_debt and found.row.state != "owed":
            yield from _of_rule(workspace, found)


def _of_rule(workspace: Workspace, found: IndexedRow) -> Iterator[Problem]:
    said = workspace.sources.cells(found).get("lifecycle")
    if said and not read_lifecycle(said):
        return  # one cause, one message: GT108, as GT130 is for a state that says owed
    name = workspace.sources.document(found.path).columns(found.header).called("lifecycle")
    message = f"{found.row.id} is a rule, so its condition is never evaluated"
    how = f"write `debt` in the column `{name}`" if said is not None else f"add a column `{name}` with `debt` in it"
    remedy = f"{how}, or move the condition to a column `violated when` if it shows that the rule was broken"
    yield workspace.problem(OF_A_RULE, found, "paid when", message, remedy)


def _of_debt(workspace: Workspace, found: IndexedRow) -> Iterator[Problem]:
    row = found.row
    outcome = together([workspace.outcome(one) for one in row.conditions])
    if outcome.holds and workspace.is_new(found) and not workspace.was_seen_failing(found):
        message = f"{row.id} is new, but its condition is already true ({outcome.evidence}), so it is not marked paid"
        remedy = "strike its id if it is paid, or correct its condition so that it fails until the debt is paid"
        yield workspace.problem(HOLDS_ALREADY, found, "paid when", message, remedy)
    said = left_of(row.state_text)
    if said is not None and outcome.left > said:
        message = f"the state says {said} left, but {outcome.left} are: {outcome.reason}"
        remedy = f"take the new ones out again; if they are meant, a person writes `owed {outcome.left} left`"
        yield workspace.problem(GREW, found, "state", message, remedy, row.state_text)
    for condition in row.conditions:
        of_kind = _of_command if verb_of(condition).runs_command else _of_files
        yield from of_kind(workspace, found, condition)


def _of_files(workspace: Workspace, found: IndexedRow, condition: Condition) -> Iterator[Problem]:
    outcome = workspace.outcome(condition)
    if outcome.gone:
        yield _gone(workspace, found, condition, outcome)
    elif outcome.undecided and verb_of(condition).takes_path and not _is_fault_of_pattern(workspace, condition):
        message = f"`{condition.text}` cannot be evaluated, so it cannot pay {found.row.id}: {outcome.reason}"
        remedy = next((how for why, how in _REMEDIES.items() if why in outcome.reason), _OTHER_FILE)
        yield workspace.problem(UNREADABLE, found, "paid when", message, remedy, condition.text)


def _is_fault_of_pattern(workspace: Workspace, condition: Condition) -> bool:
    """Return whether the pattern, which has problems of its own, is why the files could not be searched."""
    pattern, budget = condition.pattern, workspace.budget
    return verb_of(condition).takes_regex and (
        pattern in budget.timed_out or budget.is_invalid(pattern) or patterns.matches_empty(pattern)
    )


def _of_command(workspace: Workspace, found: IndexedRow, condition: Condition) -> Iterator[Problem]:
    """Yield what is to be known of a command; it is not run here."""
    name, text = found.row.id.strip(), condition.argument
    impossible = why_impossible(text)
    if impossible:
        message = f"`{condition.text[:100]}` is never run, so it cannot pay {name}: {impossible}"
        yield workspace.problem(IMPOSSIBLE, found, "paid when", message, "write another command", condition.text)
    elif not is_allowed(workspace.repository, text):
        message = f"`{condition.text}` does not run on this machine: it is not allowed here, so it cannot pay {name}"
        remedy = f"run `gatilho allow {shell_word(name)}` in your own terminal, or strike the id"
        yield workspace.problem(COMMAND, found, "paid when", message, remedy, condition.text)
    if _searches_store(text):
        message = f"`{condition.text}` searches {FOLDER} too, where the row itself holds what it looks for"
        remedy = f"leave the store out of the search: `git grep -q WORD -- ':!{FOLDER}'`, `grep -r WORD src`"
        yield workspace.problem(OWN_TEXT, found, "paid when", message, remedy, condition.text)


def _searches_store(command: str) -> bool:
    """Return whether a command seems to search every file of the repository, by the words of the usual searchers."""
    words = command.replace(";", " ; ").replace("|", " | ").replace("!", " ").split()
    if FOLDER in command:
        return False
    for at, word in enumerate(words):
        rest = words[at + 1 :]
        end = next((i for i, one in enumerate(rest) if one in (";", "|", "||", "&&")), len(rest))
        options = [one for one in rest[:end] if one.startswith("-")]
        paths = [one for one in rest[:end] if not one.startswith("-")][1:]
        everywhere = not paths or all(path in (".", "./", "*", "'*'", "docs", "docs/") for path in paths)
        if (word in ("rg", "ag", "ack") or words[at - 1 : at + 1] == ["git", "grep"]) and everywhere:
            return True
        recursive = any(one == "--recursive" or (one[1:2] != "-" and set(one) & {"r", "R"}) for one in options)
        if word in ("grep", "egrep", "fgrep") and words[at - 1 : at] != ["git"] and recursive and everywhere:
            return True
    return False


def _gone(workspace: Workspace, found: IndexedRow, condition: Condition, outcome: Outcome) -> Problem:
    """Report the vanished files of owed debts. A vanished file is no payment where something was to leave it.

    Where something is to come, it may yet come.
    """
    text, subtree = condition.text, condition.subtree
    moved = workspace.moved_to(condition.argument)
    if verb_of(condition).anchored and workspace.is_new(found) and not moved:
        message = f"`{text}` looks at a file that is not there, so it cannot pay {found.row.id}"
        return workspace.problem(GONE, found, "paid when", message, _other_path(workspace, condition), text)
    if verb_of(condition).anchored:
        message = f"anchor gone: {condition.argument} was deleted or moved. That does not pay {found.row.id}"
        went = f"where the code went (git follows it to {moved})" if moved else "where the code went"
        remedy = f"run `gatilho pay {shell_word(found.row.id)} --why TEXT`, or correct the path: name the file {went}"
        return workspace.problem(GONE, found, "paid when", message, remedy, text)
    message = f"`{text}` matches no file yet: {outcome.reason}"
    if moved and moved.startswith(subtree):
        message = f"`{text}` matches no file any more: {condition.argument} was renamed to {moved}"
        written = text.replace(condition.argument[len(subtree) :], moved[len(subtree) :], 1)
        remedy = f"write the new path into the condition: `{written}`"
        return workspace.problem(NO_FILE, found, "paid when", message, remedy, text)
    return workspace.problem(NO_FILE, found, "paid when", message, _other_path(workspace, condition), text)


def _other_path(workspace: Workspace, condition: Condition) -> str:
    """Return the remedy that names the path which a condition seems to mean."""
    reach, subtree, path = workspace.reach, condition.subtree, condition.argument
    from_the_root = path[len(subtree) :]
    if subtree and from_the_root in reach.known and from_the_root.startswith(subtree):
        return f"write `{condition.text.replace(subtree, '', 1)}`: {seen_from(subtree)}"
    meant = reach.only_one_below(path) or (similarity.one_letter_off(path, reach.spellings) if reach.names else "")
    meant = meant.removeprefix(subtree)
    return f"did you mean `{meant}`?" if meant not in ("", path) else "correct the path if that is not meant"
