"""The briefing at a session's start: what is in force, what is due, what is wrong, within one budget."""

from gatilho.ladder import speech
from gatilho.ladder.decide import Match, days_between, in_order, is_due, may_speak
from gatilho.ladder.matching import find_matches, start_subjects
from gatilho.ladder.scene import Scene
from gatilho.model import Row
from gatilho.plain import clean_line

# Decisions are new for so many days.
NEW_DECISIONS = 30
_ROOM_FOR_REST = 60


def compose(scene: Scene, restarted: bool) -> tuple[str, list[Match]]:
    """The text for the agent, and the rows that stand in it whole; "" when there is no row at all.

    restarted: only what is said again after a compaction (due debts, `start` rows, directives), without the counts.
    """
    matches = _all_matches(scene)
    if not matches:
        return "", []
    due = [m for m in matches if is_due(m, scene.config, scene.today)]
    start = find_matches(scene.index, start_subjects(), scene.budget)
    directives = [m for m in matches if m.row.kind == "directive"]
    sections = [
        ("Contradictions (same key, different notes):", _contradicting(matches)),
        ("Due debts, asked about before the next write:", due),
        ("At every start:", [m for m in start + directives if may_speak(m.row, scene.today)]),
    ]
    if not restarted:
        sections += [
            ("Owed again after a payment:", _regressed(scene, matches)),
            ("In the area of this branch:", _in_the_area(scene, matches)),
            ("States:", [m for m in matches if m.row.kind == "state"]),
            ("Decisions of the last days:", [m for m in matches if _is_new_decision(m.row, scene.today)]),
        ]
    return _within_budget(_headline(matches, due), sections, scene)


def _all_matches(scene: Scene) -> list[Match]:
    found = []
    for indexed in scene.index.rows():
        if may_speak(indexed.row, scene.today):
            found.append(scene.match(indexed))
    return found


def _headline(matches: list[Match], due: list[Match]) -> str:
    debts = sum(1 for m in matches if m.row.is_debt)
    due_words = f", {len(due)} of them due" if due else ""
    return (
        f"Notes kept in docs/gatilhos: {len(matches)} rows in force "
        f"({len(matches) - debts} rules, {debts} debts{due_words}). "
        "The hooks run; a note is shown when its files are touched."
    )


def _within_budget(headline: str, sections: "list[tuple[str, list[Match]]]", scene: Scene) -> tuple[str, list[Match]]:
    room = (scene.config.briefing or 2000) - len(headline)
    lines, said, left = [headline], [], 0
    for title, matches in sections:
        shown = 0
        for match in in_order([m for m in matches if m not in said], scene.config, scene.today):
            line = f"- {clean_line(match.row.note)} [{speech.facts(match)}]"
            needed = len(line) + 1 + (0 if shown else len(title) + 1)
            if needed > room - _ROOM_FOR_REST:
                left += 1
                continue
            lines += ([] if shown else [title]) + [line]
            room -= needed
            shown += 1
            said.append(match)
    if left:
        lines.append(f"({left} more: gatilho list)")
    return "\n".join(lines), said


def _contradicting(matches: list[Match]) -> list[Match]:
    by_key: dict[str, list[Match]] = {}
    for match in matches:
        if match.row.key:
            by_key.setdefault(match.row.key.casefold(), []).append(match)
    return [m for group in by_key.values() if len({g.row.note for g in group}) > 1 for m in group]


def _regressed(scene: Scene, matches: list[Match]) -> list[Match]:
    return [m for m in matches if m.row.owed and scene.index.standing(m.row).state_event == "regressed"]


def _is_new_decision(row: Row, today: str) -> bool:
    age = days_between(row.added, today)
    return row.kind == "decision" and age is not None and age <= NEW_DECISIONS


def _in_the_area(scene: Scene, matches: list[Match]) -> list[Match]:
    """Conventions and pitfalls whose triggers match a file that this branch or the working tree changed."""
    wanted = {m.key for m in matches if m.row.kind in ("convention", "pitfall")}
    if not wanted:
        return []
    from gatilho.ladder.matching import path_subjects
    from gatilho.model import Touch

    root = scene.repository.root
    touches = [Touch("write", f"{root}/{name}") for name in changed_files(root)]
    found = find_matches(scene.index, path_subjects(touches, root), scene.budget)
    return [m for m in found if m.key in wanted]


def changed_files(root: str) -> list[str]:
    """The files that differ between the working tree and where this branch left the default one, at most 500."""
    import subprocess

    names: set[str] = set()
    for arguments in (["diff", "--name-only", "-z", "HEAD"], ["diff", "--name-only", "-z", "origin/HEAD...HEAD"]):
        command = ["git", "--no-optional-locks", "-C", root, *arguments]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            names.update(name.decode("utf-8", "surrogateescape") for name in done.stdout.split(b"\0") if name)
    return sorted(names)[:500]
