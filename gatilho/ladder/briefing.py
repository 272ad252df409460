"""The briefing at a session's start: what is in force, what is due, what is wrong, within one budget."""

from gatilho.dates import days_between
from gatilho.index.index import IndexedRow
from gatilho.ladder import messages
from gatilho.ladder.decide import Match, contradictions, in_order, is_due, may_speak
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.matching import find_matches, start_subjects
from gatilho.model import Row
from gatilho.plain import clean_line

# Days for which a decision is new.
NEW_DECISIONS = 30
_ROOM_FOR_REST = 60
# What a branch may have left, the first that there is.
_DEFAULT_BRANCHES = ("origin/HEAD", "main", "master")
# Seconds for each question to git.
_PATIENCE = 5


def compose(scene: EventContext, restarted: bool) -> tuple[str, list[Match]]:
    """Return the text for the agent, and the rows that are in it whole; "" when there is no row at all.

    restarted: only what is said again after a compaction (due debts, `start` rows, directives), without the counts.
    """
    rules, debts = scene.index.count_in_force(scene.today)
    if not rules + debts:
        return "", []
    due = due_debts(scene)
    start = find_matches(scene.index, start_subjects(), scene.budget)
    keyed = _speaking(scene, scene.index.rows_with_key())
    contradicting = [match for group in contradictions(keyed) for match in group]
    sections = [
        ("Contradictions (same key, different notes):", contradicting),
        ("Due debts, asked about before the next write:", due),
        ("At every start:", [m for m in start if may_speak(m.row, scene.today)] + _of_kinds(scene, "directive")),
    ]
    if not restarted:
        decisions = [m for m in _of_kinds(scene, "decision") if _is_new(m.row, scene.today)]
        sections += [
            ("Paid, but owed again:", _regressed(scene)),
            ("In the area of this branch:", _in_the_area(scene)),
            ("States:", _of_kinds(scene, "state")),
            ("Recent decisions:", decisions),
        ]
    return _within_budget(_headline(rules, debts, len(due)), sections, scene)


def due_debts(scene: EventContext) -> list[Match]:
    """Return the debts that are due, the most ridden first."""
    owed = [scene.match(found) for found in scene.index.owed_and_ridden(scene.config.ask_after)]
    due = [match for match in owed if is_due(match, scene.config, scene.today)]
    return in_order(due, scene.config, scene.today)


def _of_kinds(scene: EventContext, *kinds: str) -> list[Match]:
    return _speaking(scene, scene.index.rows_of_kinds(*kinds))


def _speaking(scene: EventContext, found: list[IndexedRow]) -> list[Match]:
    return [scene.match(one) for one in found if may_speak(one.row, scene.today)]


def _headline(rules: int, debts: int, due: int) -> str:
    due_words = f", {due} of them due" if due else ""
    kinds = [_counted(count, word) for count, word in ((rules, "rule"), (debts, "debt")) if count]
    return (
        f"Notes kept in docs/gatilhos: {_counted(rules + debts, 'row')} in force ({', '.join(kinds)}{due_words}). "
        "The hooks run; a note is shown when its files are touched."
    )


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _within_budget(
    headline: str, sections: "list[tuple[str, list[Match]]]", scene: EventContext
) -> tuple[str, list[Match]]:
    room = (scene.config.briefing or 2000) - len(headline)
    lines, cut = [headline], set()
    said: list[Match] = []
    for title, matches in sections:
        shown = 0
        told = {match.key for match in said}
        fresh = {match.key: match for match in matches if match.key not in told}
        for match in in_order(list(fresh.values()), scene.config, scene.today):
            line = f"- {clean_line(match.row.note)} [{messages.facts(match)}]"
            needed = len(line) + 1 + (0 if shown else len(title) + 1)
            if needed > room - _ROOM_FOR_REST:
                cut.add(match.key)
                continue
            lines += ([] if shown else [title]) + [line]
            room -= needed
            shown += 1
            said.append(match)
    left = cut - {match.key for match in said}
    if left:
        lines.append(f"({len(left)} more: gatilho list)")
    return "\n".join(lines), said


def _regressed(scene: EventContext) -> list[Match]:
    """Return the debts that are owed because a payment of theirs did not last."""
    found = [scene.match_of(key) for key in scene.index.rows_with_event("regressed", "")]
    return [
        match
        for match in found
        if match is not None
        and match.row.owed
        and may_speak(match.row, scene.today)
        and scene.index.tally(match.row).state_event == "regressed"
    ]


def _is_new(row: Row, today: str) -> bool:
    age = days_between(row.added, today)
    return age is not None and age <= NEW_DECISIONS


def _in_the_area(scene: EventContext) -> list[Match]:
    """Return conventions and pitfalls whose triggers match a file that this branch or the working tree changed."""
    wanted = {match.key for match in _of_kinds(scene, "convention", "pitfall")}
    if not wanted:
        return []
    from gatilho.ladder.matching import path_subjects
    from gatilho.model import Touch

    root = scene.repository.root
    touches = [Touch("write", f"{root}/{name}") for name in changed_files(root)]
    found = find_matches(scene.index, path_subjects(touches, root), scene.budget)
    return [m for m in found if m.key in wanted]


def changed_files(root: str) -> list[str]:
    """Return the files that are new or changed in the working tree, or on this branch since it left the default one.

    500.
    """
    from gatilho.git.query import ask_names as asked
    from gatilho.git.query import ask_names_of_tree

    listing = ("diff", "--name-only", "-z")
    names = ask_names_of_tree(root, *listing, "--ignore-submodules=all", "HEAD", seconds=_PATIENCE) or []
    names += asked(root, "ls-files", "-z", "--others", "--exclude-standard", seconds=_PATIENCE) or []
    for base in _DEFAULT_BRANCHES:
        of_branch = asked(root, *listing, f"{base}...HEAD", seconds=_PATIENCE)
        if of_branch is not None:
            names += of_branch
            break
    return sorted(set(names))[:500]
