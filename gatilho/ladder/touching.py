"""Before and after a tool: ask, pay, note what was written, and warn."""

from gatilho.hosts.event import Reply
from gatilho.ladder import guard, payments, recording, sessions, speech
from gatilho.ladder.decide import Match, in_order, is_due, may_speak
from gatilho.ladder.matching import A_COMMAND, command_subjects, find_matches, path_subjects
from gatilho.ladder.scene import Scene
from gatilho.model import Touch, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.files import Tree


class Reading(Value):
    """A tool call as one repository sees it: its command ("" for none), the simple commands in it, and its touches."""

    __slots__ = ("command", "simple", "touches")

    def __init__(self, command: str, simple: tuple[str, ...], touches: tuple[Touch, ...]) -> None:
        self.command = command
        self.simple = simple
        self.touches = touches


def matches_of(scene: Scene, reading: Reading) -> list[Match]:
    """The rows that the call concerns in order of files and lines."""
    subjects = path_subjects(reading.touches, scene.repository.root)
    if reading.command:
        subjects += command_subjects(reading.command, reading.simple)
    return find_matches(scene.index, subjects, scene.budget)


def before(scene: Scene, reading: Reading) -> Reply:
    """Ask about what is due and would be written, and about what settles rows behind the ladder's back."""
    matches = matches_of(scene, reading)
    if reading.command:
        _remember_stamps(scene, reading)
        if matches:  # so that the event after the command is looked at, even if the command removes what it names
            recording.mark_live(scene)
    asked = _to_ask(scene, matches)
    settled = guard.objections(scene, reading)
    if asked or settled:
        return _question(scene, asked, settled, reading)
    if scene.config.warn == "before" and scene.adapter.carries_context(scene.event):
        return speak(scene, matches, _about(reading, scene), _see(reading, scene))
    return Reply()


def after(scene: Scene, reading: Reading) -> Reply:
    """Pay what is paid, note what was written, and say what this agent has not heard."""
    event = scene.event
    _note_allowed(scene)
    moved = _moved_by_command(scene) if reading.command else set()
    if event.failed and not reading.command:
        reading = Reading("", (), tuple(Touch("read", t.path, t.text) for t in reading.touches))
    if moved:  # what a command removed is no longer found by its words
        named = {touch.path for touch in reading.touches}
        gone = tuple(Touch("write", path) for path in sorted(moved - named))
        reading = Reading(reading.command, reading.simple, reading.touches + gone)
    matches = matches_of(scene, reading)
    if scene.session.is_new_call(event.call):
        _note_written(scene, matches, reading, moved)
    return speak(scene, matches, _about(reading, scene), _see(reading, scene))


def _to_ask(scene: Scene, matches: list[Match]) -> list[Match]:
    """The due debts that this write would touch and that nothing settles: no payment, no answer, no edit that pays."""
    due = [m for m in matches if m.written and is_due(m, scene.config, scene.today)]
    if not due:
        return []
    answered = {(a.store, a.row) for a in scene.session.asked() if a.answer}
    after_write = _tree_after_write(scene)
    asked = []
    for match in in_order(due, scene.config, scene.today):
        if match.key in answered or _verdict(scene, match) != payments.OWED:
            continue
        if after_write is None or not payments.outcome_of(scene, match, after_write).holds:
            asked.append(match)
    return asked


def _tree_after_write(scene: Scene) -> "Tree | None":
    """The files as this very write will leave them, None where the payload does not show it."""
    from gatilho.conditions.files import Tree
    from gatilho.conditions.outcome import overlay_of

    event, root = scene.event, scene.repository.root
    overlay = overlay_of(event.tool, event.input, event.cwd or root, root)
    return Tree(root, overlay) if overlay is not None else None


def _verdict(scene: Scene, match: Match) -> str:
    """What the files say of an owed debt (payments.OWED, PAID or HOLDS_ALREADY); a payment is recorded at once."""
    if not match.row.conditions or match.row.shared:
        return payments.OWED
    verdict = payments.look(scene, match)
    if verdict.state == payments.PAID:
        recording.pay(scene, match, verdict.evidence)
        scene.session.pay(match.key)
    elif verdict.state == payments.HOLDS_ALREADY:
        payments.tell_holds_already(scene, match)
    elif verdict.gone:
        payments.tell_gone(scene, match, verdict.reason)
    return verdict.state


def _question(scene: Scene, asked: list[Match], settled: list[str], reading: Reading) -> Reply:
    event = scene.event
    person_decides = scene.adapter.can_ask(event)
    if not person_decides and scene.config.unattended == "warn" and not settled:
        return _let_pass(scene, asked, reading)
    decision = "ask" if person_decides else "deny"
    for match in asked:
        question = event.call or f"{scene.now} {match.row.id}"
        if scene.session.ask(match.key, question, decision, event.mode):
            scene.session.add_line(match.key, "asked", scene.now, _about(reading, scene))
        scene.tell_person_once(f"due {match.key}", speech.due_line(match))
    parts = []
    if asked:
        parts.append(speech.question(asked, _about(reading, scene), scene.answer_budget, person_decides))
        if not person_decides and scene.config.unattended == "record":
            parts.append(speech.may_waive(asked[0].row))
    parts += settled
    if decision == "deny":  # the agent reads the reason of a denial, not of a question
        for match in asked[:1]:
            scene.session.deliver(event.agent, match.key)
    return Reply(decision=decision, reason="\n".join(parts))


def _let_pass(scene: Scene, asked: list[Match], reading: Reading) -> Reply:
    """Where nobody can be asked and the configuration says so: the write passes, and the ledger says that it did."""
    for match in asked:
        if scene.session.ask(match.key, scene.event.call or scene.now, "pass", scene.event.mode):
            scene.session.add_line(
                match.key, "passed anyway", scene.now, f"{_about(reading, scene)} ({scene.event.mode})"
            )
        scene.tell_person_once(f"due {match.key}", speech.due_line(match))
    return Reply()


def _note_allowed(scene: Scene) -> None:
    """A write that was asked about has happened: a person allowed it, or it passed in spite of a denial."""
    call = scene.event.call
    if not call:
        return
    for asked in scene.session.asked():
        if asked.question == call and not asked.answer:
            allowed = asked.decision == "ask"
            event = "allowed" if allowed else "passed anyway"
            mode = scene.event.mode or asked.mode or "unknown"
            if asked.decision != "pass":  # of these the line was written when it passed
                scene.session.add_line((asked.store, asked.row), event, scene.now, f"permission mode {mode}")
            if allowed:
                scene.session.answer(call, "yes")


def _note_written(scene: Scene, matches: list[Match], reading: Reading, moved: set[str]) -> None:
    """Note the anchors that this call wrote: as its input says, and, for a command, as the files show.

    A command that failed may have written nothing: then only the files tell, but running it is still its own anchor.
    """
    believed = not (scene.event.failed and reading.command)
    for match in matches:
        if match.written and (believed or match.written == A_COMMAND or moved.intersection(match.files)):
            scene.session.write(match.key, match.written)
    root = scene.repository.root + "/"
    for store, row, path in scene.session.spoken_paths() if moved else ():
        if path in moved:
            scene.session.write((store, row), path.removeprefix(root))


def _remember_stamps(scene: Scene, reading: Reading) -> None:
    """What the files of rows that spoke, and those the command names, look like before it runs."""
    if scene.event.call:
        watched = {path for _, _, path in scene.session.spoken_paths()} | {touch.path for touch in reading.touches}
        scene.session.remember_stamps(scene.event.call, sessions.stamps_of(sorted(watched)), scene.head())


def _moved_by_command(scene: Scene) -> set[str]:
    """The watched files that a command changed; none when HEAD moved, for a pull or a checkout is nobody's edit."""
    before, head = scene.session.take_stamps(scene.event.call)
    if not before or head != scene.head():
        return set()
    now = sessions.stamps_of(sorted(before))
    return {path for path, stamp in before.items() if now[path] != stamp}


def speak(scene: Scene, matches: list[Match], about: str, see: str) -> Reply:
    """Say what the event's agent has not heard; debts that turn out to be paid are recorded and say nothing."""
    told = scene.session.was_told(scene.event.agent) | scene.session.held_now(scene.event.agent)
    speaking = []
    for match in matches:
        if not may_speak(match.row, scene.today):
            continue
        if match.row.owed and _verdict(scene, match) != payments.OWED:
            continue
        if match.key not in told:
            speaking.append(match)
    for match in speaking:
        if is_due(match, scene.config, scene.today):
            scene.tell_person_once(f"due {match.key}", speech.due_line(match))
    return _deliver(scene, in_order(speaking, scene.config, scene.today), about, see)


def _deliver(scene: Scene, matches: list[Match], about: str, see: str) -> Reply:
    """The rows for the event's agent, as far as the budget goes; what was said and what was cut is remembered."""
    if not matches:
        return Reply()
    remarks = {match.key: remarks_on(scene, match) for match in matches}
    spoken = speech.notes(matches, about, scene.answer_budget, remarks, see)
    if not scene.adapter.carries_context(scene.event):
        return Reply(context=spoken.text)
    for match in spoken.said:
        scene.session.deliver(scene.event.agent, match.key)
        for path in match.files:
            scene.session.speaks_for(match.key, path)
    for match in spoken.cut:
        scene.session.hold(scene.event.agent, match.key)
    if spoken.said:
        recording.mark_live(scene)
    return Reply(context=spoken.text)


def remarks_on(scene: Scene, match: Match) -> list[str]:
    """What else the agent should know of a row: that nobody reviewed it, that it may be stale."""
    remarks = []
    found = scene.match_of(match.key)
    if found and not scene.is_committed(found[1]):
        remarks.append("not committed yet")
    looked_at = tuple(one for one in match.row.holds_while if one.kind != "passes")  # no command runs at a touch
    if looked_at:
        from gatilho.conditions.files import evaluate_all

        outcome = evaluate_all(looked_at, scene.tree, scene.budget)
        if not outcome.holds:
            remarks.append(f"possibly stale: {outcome.reason}")
    return remarks


def _about(reading: Reading, scene: Scene) -> str:
    """What was touched, for the first line: names in the repository; of a command only that it was one."""
    names = _names(reading, scene)
    if names:
        return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return "this command" if reading.command else "this call"


def _see(reading: Reading, scene: Scene) -> str:
    names = _names(reading, scene)
    return f"gatilho why {names[0]}" if names else "gatilho why --command TEXT"


def _names(reading: Reading, scene: Scene) -> list[str]:
    root = scene.repository.root + "/"
    inside = [touch.path.removeprefix(root) for touch in reading.touches if touch.path.startswith(root)]
    return list(dict.fromkeys(inside))
