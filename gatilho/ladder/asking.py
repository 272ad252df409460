"""Before a tool: whether a write is asked about or denied, and what became of it afterwards."""

from gatilho.hosts.event import Reply
from gatilho.ladder import delivery, messages, payments
from gatilho.ladder.decide import Match, in_order
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.tool_call import RepositoryCall, what_was_touched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.file_conditions import Tree


def to_ask(scene: EventContext, due: list[Match], reading: RepositoryCall) -> list[Match]:
    """Return those of the due debts that nothing settles: no payment, no answer, no edit that pays."""
    if not due:
        return []
    answered = scene.session.answered()
    after_write = _tree_after_write(scene, reading)
    asked = []
    for match in in_order(due, scene.config, scene.today):
        if match.key in answered or not payments.is_owed_still(scene, match):
            continue
        # A write that pays must not be stopped for the debt that it pays.
        if after_write is None or not payments.outcome_of(scene, match, after_write).holds:
            asked.append(match)
    return asked


def _tree_after_write(scene: EventContext, reading: RepositoryCall) -> "Tree | None":
    """Return the files as this very write will leave them, None where the payload does not show it."""
    from gatilho.conditions.file_conditions import Tree

    overlay = scene.overlay(reading)
    return Tree(scene.repository.root, overlay) if overlay is not None else None


def _may_run(scene: EventContext, match: Match) -> bool:
    """Return whether every command among the row's conditions is allowed on this machine."""
    if not match.row.conditions:
        return True
    from gatilho.verbs import commands_in

    commands = commands_in(match.row.conditions)
    if not commands:
        return True
    from gatilho.conditions.allowed import is_allowed

    return all(is_allowed(scene.repository, text) for text in commands)


def _why_unpaid(scene: EventContext, match: Match) -> list[str]:
    """Return what the commands of a debt came to when they were last run, and the end of what they wrote."""
    if not match.row.conditions:
        return []
    from gatilho.conditions.account import of_row

    return [messages.shortened(line, 300) for line in of_row(scene.repository, match.row)]


def stop_reply(scene: EventContext, asked: list[Match], settled: list[str], reading: RepositoryCall) -> Reply:
    """Return the answer that stops the call. settled: what it would settle, a line each."""
    event = scene.event
    about = what_was_touched(asked, scene.repository.root)
    person_decides = scene.adapter.can_ask(event)
    # The setting is about due debts: what only the owner may decide is refused in any case.
    if not person_decides and scene.config.unattended == "warn" and not settled:
        return _let_pass(scene, asked, about)
    decision = "ask" if person_decides else "deny"
    if settled and person_decides:
        from gatilho.ladder.unasked import guarded_call

        # After a yes to this question, `unasked` must not report the call as one that was never asked about.
        scene.session.tell_once(guarded_call(event.call))
    for match in asked:
        if scene.session.ask(match.key, event.call or f"{scene.now} {about}", decision, event.mode):
            scene.session.add_line(match.key, "asked", scene.now, about)
        delivery.tell_due(scene, match)
    parts = settled
    if asked:
        reasons = _why_unpaid(scene, asked[0])
        room = scene.answer_budget - len("\n".join(reasons))
        unseen = bool(reading.command) and scene.overlay(reading) is None
        spoken = messages.question(asked, about, room, _may_run(scene, asked[0]), unseen)
        parts = [spoken.text, *reasons, *settled]
        if not person_decides and scene.config.unattended == "record":
            parts.insert(1, messages.may_waive(asked[0].row))
        if decision == "deny":  # the agent reads the reason of a denial, not of a question
            delivery.remember(scene, spoken.said)
    return Reply(decision=decision, reason="\n".join(parts))


def _let_pass(scene: EventContext, asked: list[Match], about: str) -> Reply:
    """Return where no one can be asked and the configuration says so:
    the write passes, and the ledger says that it did.
    """
    for match in asked:
        if scene.session.ask(match.key, scene.event.call or scene.now, "pass", scene.event.mode):
            evidence = f"{about}, permission mode {scene.event.mode or 'unknown'}"
            scene.session.add_line(match.key, "passed anyway", scene.now, evidence)
        delivery.tell_due(scene, match)
    return Reply()


def note_happened(scene: EventContext) -> None:
    """Record that a call that was asked about has happened: allowed by a person, or in spite of a denial.

    One that failed was allowed as well; but a host may report a denied call as failed.
    """
    event = scene.event
    for asked in scene.session.asked() if event.call else ():
        if asked.question != event.call or asked.answer:
            continue
        mode = f"permission mode {event.mode or asked.mode or 'unknown'}"
        if asked.decision == "ask":
            scene.session.add_line(asked.key, "allowed", scene.now, mode)
            scene.session.answer(asked.key, event.call, "yes")
        elif asked.decision == "deny" and not event.failed:
            scene.session.add_line(asked.key, "passed anyway", scene.now, mode)
            scene.session.answer(asked.key, event.call, "happened")
