"""Triggers that can be read and yet do not do what a row of their kind is for."""

from collections.abc import Iterator

from gatilho.document.cells import read_trigger
from gatilho.index.index import IndexedRow
from gatilho.index.signature import grams
from gatilho.memory import similarity
from gatilho.model import Problem, ProblemKind, Respelling, Trigger, Value
from gatilho.plain import first_of
from gatilho.tables import FOLDER
from gatilho.triggers import literals, patterns, suspicions
from gatilho.triggers.dialects import foreign_in
from gatilho.triggers.literals import searched_pattern
from gatilho.workspace.reach import PATH_KINDS, Reach, seen_from
from gatilho.workspace.renames import escaped, moved_pattern
from gatilho.workspace.row_examples import examples_of, is_true, renamed_example
from gatilho.workspace.workspace import Workspace

NEVER_CHARGED = ProblemKind("GT221", "note", "a debt has only `prompt:` or `start` triggers, so it never gets a ride")
NO_FILE = ProblemKind("GT222", "note", "a trigger matches no tracked file")
NO_NEEDLE = ProblemKind("GT223", "note", "triggers have no fixed text, so they are tested on every tool call")
RENAMED = ProblemKind("GT226", "warning", "the file of a trigger was renamed")
NO_FILE_YET = ProblemKind("GT224", "note", "a trigger of a new row matches no file")
TOO_BROAD = ProblemKind("GT225", "note", "a trigger is too broad")
KINDS = (NEVER_CHARGED, NO_FILE, NO_NEEDLE, NO_FILE_YET, TOO_BROAD, RENAMED)
BY_ROW = True

# Without one of these a pattern spells a name, whether its dots are escaped or not.
_MARKS = frozenset("()|?*+{[")
# Nearly every shorter name is one letter off from some other.
_SHORTEST_NAME = 3
_WITHOUT_ANCHOR = ("prompt", "start")
_NAMED = 5
# In a smaller repository a quarter of the files is no sign.
_FEWEST_FILES = 20
_SHORT = 7


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield what the triggers of rows in force will never do."""
    for found in workspace.rows_in_force:
        yield from _never_charged(workspace, found)
        yield from _without_file(workspace, found)
        yield from _too_broad(workspace, found)
    yield from _without_needle(workspace)


def _never_charged(workspace: Workspace, found: IndexedRow) -> Iterator[Problem]:
    row = found.row
    if row.is_debt and row.triggers and all(trigger.kind in _WITHOUT_ANCHOR for trigger in row.triggers):
        message = f"{row.id} has only `prompt:` or `start` triggers, so it never gets a ride"
        remedy = "add a trigger for the files or the command that it is about, or make it a rule"
        yield workspace.problem(NEVER_CHARGED, found, "trigger", message, remedy)


def _without_file(workspace: Workspace, found: IndexedRow) -> Iterator[Problem]:
    """Yield a problem for each trigger that matches no file. For a new row the file may come yet."""
    if found.row.store or not workspace.reach.names:
        return
    for trigger in found.row.triggers:
        if _matches_nothing(workspace, trigger):
            moved = _moved(workspace, found, trigger)
            yield from (moved,) if moved is not None else _matching_nothing(workspace, found, trigger)


def _matching_nothing(workspace: Workspace, found: IndexedRow, trigger: Trigger) -> Iterator[Problem]:
    if trigger.kind == "glob" and foreign_in(trigger.pattern) is not None:
        return  # one cause, one message: GT218
    past = workspace.past
    names = past.reach.matches(trigger) if past else []
    if past and past.comes_and_goes(names):
        return
    if workspace.is_new(found):
        yield from _without_file_yet(workspace, found, trigger)
        return
    name, commit = past.last_removal(names) if past else ("", "")
    since = f" since {commit[:_SHORT]} removed {name}" if commit else ""
    message = f"`{trigger}` matches no tracked file{since}: {found.row.id} may be out of date"
    otherwise = "correct the trigger, or end the row: strike, supersede or revoke it"
    remedy = otherwise if commit else _respelt(workspace, trigger) or otherwise
    yield workspace.problem(NO_FILE, found, "trigger", message, remedy, trigger.pattern)


class _Followed(Value):
    """A trigger that follows a renamed file. pattern: its new pattern, "" where only a person can say how."""

    old: str
    new: str
    trigger: Trigger
    pattern: str


def followed_triggers(workspace: Workspace, found: IndexedRow) -> tuple[Trigger, ...]:
    """Return the row's triggers, those that match no file with the new paths of what they matched before."""
    return tuple(_follow(workspace, found, trigger) for trigger in found.row.triggers)


def _follow(workspace: Workspace, found: IndexedRow, trigger: Trigger) -> Trigger:
    if found.row.store or not _matches_nothing(workspace, trigger):
        return trigger
    followed = _followed(workspace, trigger)
    return followed.trigger if followed is not None and followed.pattern else trigger


def _followed(workspace: Workspace, trigger: Trigger) -> _Followed | None:
    old = next(iter(workspace.renamed.matches(trigger, 1)), "")
    new = workspace.moved_to(old) if old else ""
    if not new:
        return None
    subtree = trigger.subtree
    if not new.startswith(subtree):
        return None  # out of the folder that the store is about
    inner = new[len(subtree) :]
    pattern = moved_pattern(trigger.kind, trigger.pattern, old[len(subtree) :], inner)
    rewritten = trigger.replace(pattern=pattern or (inner if trigger.kind == "glob" else f"^{escaped(inner)}$"))
    return _Followed(old, new, rewritten, pattern)


def _moved(workspace: Workspace, found: IndexedRow, trigger: Trigger) -> Problem | None:
    """Return a problem that names the new path of what the trigger matched before a rename."""
    followed = _followed(workspace, trigger)
    if followed is None:
        return None
    message = (
        f"{followed.old} was renamed to {followed.new}, so `{trigger}` matches no file and {found.row.id} is silent"
    )
    remedy = f"write `{followed.trigger}`"
    untrue = _untrue_example(workspace, found)
    if untrue:
        remedy += f", and correct its example `{untrue}`, which would not be true"
    problem = workspace.problem(RENAMED, found, "trigger", message, remedy, trigger.pattern)
    if not followed.pattern or untrue or _moved_apart(workspace, trigger, followed.trigger):
        return problem
    return problem.replace(respelling=Respelling("trigger", trigger.pattern, (followed.pattern,)))


def _untrue_example(workspace: Workspace, found: IndexedRow) -> str:
    """Return an example that would not be true of triggers and paths that follow the renames, "" for none."""
    triggers = followed_triggers(workspace, found)
    for example in examples_of(workspace.sources, found)[0]:
        renamed = renamed_example(example, workspace.renames, workspace.reach.known, found.row.subtree)
        if not is_true(renamed or example, triggers, workspace):
            return example.span
    return ""


def _moved_apart(workspace: Workspace, trigger: Trigger, rewritten: Trigger) -> bool:
    """Return whether a file that the trigger matched became one that the rewritten trigger does not match."""
    became = {new for old in workspace.renamed.matches(trigger) if (new := workspace.moved_to(old))}
    return len(Reach(list(became)).matches(rewritten)) < len(became)


def _without_file_yet(workspace: Workspace, found: IndexedRow, trigger: Trigger) -> Iterator[Problem]:
    if workspace.untracked.matches(trigger, 1):
        return
    message = f"`{trigger}` matches no file yet, so {found.row.id} speaks when such a file is there"
    remedy = _respelt(workspace, trigger) or "correct the trigger if that is not meant"
    yield workspace.problem(NO_FILE_YET, found, "trigger", message, remedy, trigger.pattern)


def _respelt(workspace: Workspace, trigger: Trigger) -> str:
    """Return the remedy for a trigger that names a file in another way, "" where no such file is known."""
    meant = _meant(workspace, trigger)
    return _seen_from_root(workspace, trigger) or (f"did you mean `{meant}`?" if meant else "")


def _seen_from_root(workspace: Workspace, trigger: Trigger) -> str:
    """Return the remedy for a row of a nested store that names its files from the repository's root on, else ""."""
    subtree = trigger.subtree
    names = workspace.reach.matches(trigger.replace(subtree=""), 1) if subtree else []
    if not names:
        return ""
    for prefix in (escaped(subtree), subtree):
        start, found, rest = trigger.pattern.partition(prefix)
        inner = trigger.replace(pattern=start + rest)
        if found and start in ("", "^", "/") and workspace.reach.matches(inner, 1):
            return f"write `{inner}`: {seen_from(subtree)}"
    return f"{seen_from(subtree)}; a row about {names[0]} belongs into {FOLDER} of the root"


def _meant(workspace: Workspace, trigger: Trigger) -> str:
    """Return the name that a trigger's text misspells by one letter, or the one file whose path ends in it."""
    literal = trigger.pattern.removeprefix("^").removesuffix("$").replace("\\", "")
    if _MARKS.isdisjoint(literal):
        below = workspace.reach.only_one_below(literal)
        if below.startswith(trigger.subtree) and below:
            return below[len(trigger.subtree) :]
    else:
        literal = literals.analyse(searched_pattern(trigger) or "").needle
    if len(literal) <= _SHORTEST_NAME:
        return ""
    return similarity.one_letter_off(trigger.subtree + literal, workspace.reach.spellings).removeprefix(trigger.subtree)


def _too_broad(workspace: Workspace, found: IndexedRow) -> Iterator[Problem]:
    if found.row.store:
        return
    for trigger in found.row.triggers:
        if trigger.kind in PATH_KINDS and _can_match(trigger):
            reached = _too_much(workspace, trigger)
            if reached:
                message = f"`{trigger}` matches {reached}, so {found.row.id} speaks often"
                remedy = "name the files that it is about; what always matters belongs into AGENTS.md or CLAUDE.md"
                yield workspace.problem(TOO_BROAD, found, "trigger", message, remedy, trigger.pattern)


def _too_much(workspace: Workspace, trigger: Trigger) -> str:
    """Return what a trigger matches if that is too much, in words: by the last commits, else by the tracked files."""
    if workspace.past is not None and workspace.reach.matches(trigger, 1):
        wrote = len(workspace.past.commits_that_wrote(workspace.past.reach.matches(trigger)))
        count = len(workspace.past.commits)
        return f"files that {wrote} of the last {count} commits wrote" if wrote * 2 > count else ""
    files, count = len(workspace.reach.matches(trigger)), workspace.reach.below(trigger.subtree)
    return f"{files} of {count} tracked files" if count >= _FEWEST_FILES and files * 4 > count else ""


def _matches_nothing(workspace: Workspace, trigger: Trigger) -> bool:
    return trigger.kind in PATH_KINDS and not workspace.reach.matches(trigger, 1) and _can_match(trigger)


def _can_match(trigger: Trigger) -> bool:
    """Return whether the pattern is one at all and meant as one; others have a problem of their own."""
    pattern = searched_pattern(trigger)
    if pattern is None or suspicions.backslash_separator(trigger.pattern):
        return False
    if not literals.analyse(pattern).plain and patterns.compile_problem(pattern):  # plain text needs no engine
        return False
    text = trigger.pattern if trigger.kind == "path" else str(trigger)
    if read_trigger(text)[1] is not None:
        return False
    return trigger.kind == "glob" or not suspicions.looks_like_glob(pattern)


def _without_needle(workspace: Workspace) -> Iterator[Problem]:
    """Yield one note for all rows that cost every call some time; the first of them is its place."""
    slow = [
        (found, trigger) for found in workspace.rows_in_force for trigger in found.row.triggers if _has_none(trigger)
    ]
    if not slow:
        return
    ids = list(dict.fromkeys(found.row.id for found, _ in slow))
    subject = "trigger has no" if len(ids) == 1 else f"{len(ids)} rows have a trigger without"
    named = first_of(ids, _NAMED)
    message = f"{subject} fixed text of 3 or more characters, so it is tested on every tool call: {named}"
    remedy = "add fixed text (for example `src/`) to make it faster; a few such rows are fine"
    yield workspace.problem(NO_NEEDLE, slow[0][0], "trigger", message, remedy, slow[0][1].pattern)


def _has_none(trigger: Trigger) -> bool:
    if trigger.kind in ("start", "prompt", "mark"):
        return False
    pattern = searched_pattern(trigger)
    if pattern is None or any(grams(piece) for piece in literals.analyse(pattern).pieces):
        return False
    return not patterns.compile_problem(pattern) and not patterns.matches_empty(pattern)
