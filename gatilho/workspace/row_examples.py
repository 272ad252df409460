"""Whether the examples of a row are true: each is matched as the hook would match a call."""

from gatilho.document.examples import Example, parse_example
from gatilho.document.table import cell_text, code_spans
from gatilho.git.around import Surroundings
from gatilho.index.index import Candidate, IndexedRow
from gatilho.index.packing import FIELDS
from gatilho.ladder.matching import Subject, command_subjects, path_subjects, prompt_subjects, search_candidates
from gatilho.model import Touch, Trigger
from gatilho.triggers import literals, paths
from gatilho.triggers.literals import searched_pattern
from gatilho.triggers.paths import absolute
from gatilho.triggers.patterns import Budget
from gatilho.triggers.touches import touches_of_command
from gatilho.workspace.renames import Renames
from gatilho.workspace.sources import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.workspace.workspace import Workspace

_SECONDS = 0.5  # as a hook has for one event


def example_spans(sources: Sources, found: IndexedRow) -> list[str]:
    """Return the code spans of a row's examples."""
    return code_spans(cell_text(sources.cells(found).get("examples", "").encode("utf-8", "replace")))


def examples_of(sources: Sources, found: IndexedRow) -> tuple[list[Example], list[str]]:
    """Return the examples of a row, and the code spans of their cell that are none."""
    read = [(span, parse_example(span)) for span in example_spans(sources, found)]
    text = sources.cells(found).get("examples", "").strip()
    others = [span for span, one in read if one is None] if read else [text] * bool(text)
    return [one for _, one in read if one is not None], others


def is_true(example: Example, triggers: tuple[Trigger, ...], workspace: "Workspace") -> bool:
    """Return whether the triggers do with an example what it says: as seen from the folder that they are about."""
    subtree = triggers[0].subtree if triggers else ""
    root = f"{workspace.root}/{subtree}".rstrip("/")
    seen = [trigger.replace(subtree="") for trigger in triggers]
    candidates = [one for number, trigger in enumerate(seen) if (one := candidate_of(number, trigger)) is not None]
    subjects = _subjects(example, root)
    hits = subjects_matched(candidates, subjects, Budget(_SECONDS))
    wanted = [one.pattern.strip() for one in triggers if one.kind == "mark"]
    marked = {name for mark in wanted for name in workspace.marks.get(mark, ())}
    named = bool(marked) and any(subtree + one.text in marked for one in subjects if one.field == "path")
    return (bool(hits) or named) == example.speaks


def renamed_example(example: Example, renames: Renames, known: frozenset[str], subtree: str) -> Example | None:
    """Return a path's example with the name that the file has today; None where it was not renamed, or moved away.

    subtree: the folder that its row is about.
    """
    if example.field != "path" or subtree + example.text in known:
        return None
    now = renames.now(subtree + example.text, known)
    new = now[len(subtree) :] if now.startswith(subtree) else ""
    return example.replace(text=new, span=example.span.replace(example.text, new)) if new else None


def subjects_matched(candidates: list[Candidate], subjects: list[Subject], budget: Budget) -> dict[int, list[Subject]]:
    """Return the subjects that candidates match, by the numbers of their rows, as the hook searches for them."""
    hits: dict[int, list[Subject]] = {}
    for field in dict.fromkeys(subject.field for subject in subjects):
        mine = [subject for subject in subjects if subject.field == field]
        search_candidates([one for one in candidates if FIELDS[one.kind] == FIELDS[field]], mine, hits, budget)
    return hits


def candidate_of(number: int, trigger: Trigger) -> Candidate | None:
    """Return a trigger as the index would offer it, None for one that matches nothing."""
    pattern = searched_pattern(trigger)
    if pattern is None or trigger.kind == "mark":
        return None
    analysis = literals.analyse(pattern)
    found = number, trigger.kind, pattern, analysis.needle, analysis.plain, analysis.folded
    return Candidate(*found, paths.normalise(trigger.subtree))


def _subjects(example: Example, root: str) -> list[Subject]:
    """Return what the hook would match; a path as if it were read and written."""
    if example.field == "prompt":
        return prompt_subjects(example.text)
    if example.field == "path":
        full = absolute(example.text, root) or f"{root}/{example.text}"
        return path_subjects([Touch(kind, full) for kind in ("read", "write")], root)
    effects = touches_of_command(example.text, root, Surroundings())
    commands = command_subjects(effects.line, effects.commands, effects.folders, root, root)
    return [*path_subjects(effects.touches, root), *commands]
