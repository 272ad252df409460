"""Whether a session broke a rule: its conditions hold in the files now, and did not hold when the session began."""

from gatilho.dates import utc_moment
from gatilho.ladder import payments, recording
from gatilho.ladder.decide import Match
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.tree import Tree

VIOLATED = "violated"
# Files that a session may have changed; after more of them nothing is said of who broke a rule.
_MOST_FILES = 500
_SECONDS = 5


def note_violation(context: EventContext, session: Session, match: Match) -> bool:
    """Queue the line of a rule that the session broke, once a session; return whether the session broke it."""
    row = match.row
    if row.is_debt or not row.in_force or row.shared or row.store:
        return False
    from gatilho.conditions.file_conditions import evaluate_all

    outcome = evaluate_all(row.violated_when, context.tree, context.budget)
    session_hash = context.session_hash(session)
    if any(one.event == VIOLATED and one.session == session_hash for one in context.entries_now(row.id, row.store)):
        return True
    before = _tree_at_start(context, session) if outcome.holds else None
    if before is None or evaluate_all(row.violated_when, before, context.budget).holds:
        return False
    evidence = payments.evidence_of(row.violated_when, outcome)
    recording.queue_for(context, match, VIOLATED, evidence, session)
    return True


def _tree_at_start(context: EventContext, session: Session) -> "Tree | None":
    """Return the files of the commit at which the session began; None where git cannot say, or too many changed."""
    from gatilho.conditions.file_conditions import Tree
    from gatilho.git import query

    root = context.repository.root
    started = utc_moment(session.started()).partition(".")[0]
    at_start = f"HEAD@{{{started} +0000}}^{{commit}}"
    base = query.ask_text(root, "rev-parse", "--verify", "--quiet", at_start, seconds=_SECONDS)
    if not base:
        return None
    changed = query.ask_names_of_tree(root, "diff", "--name-only", "-z", "--no-renames", base, seconds=_SECONDS)
    new = query.ask_names(root, "ls-files", "-z", "--others", "--exclude-standard", seconds=_SECONDS)
    if changed is None or new is None or len(changed) + len(new) > _MOST_FILES:
        return None
    overlay: dict[str, bytes | None] = dict.fromkeys(new)
    for name in changed:
        overlay[name] = query.ask(root, "cat-file", "blob", f"{base}:{name}", seconds=_SECONDS)
    return Tree(root, overlay)
