"""Before a tool: whether a write is asked about or denied, and what became of it afterwards."""

from gatilho.hosts.event import Reply
from gatilho.ladder import delivery, messages, payments
from gatilho.ladder.decide import Match, in_order
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.tool_call import RepositoryCall, what_was_touched
from gatilho.plain import counted, shortened
from gatilho.verbs import commands_in

# Lines in one answer, and characters of a line.
_MOST_OBJECTIONS, _LONGEST_OBJECTION = 6, 400


def to_ask(context: EventContext, due: list[Match], reading: RepositoryCall) -> list[Match]:
    """Return those of the due debts that nothing lets pass: no payment, no answer, no edit that pays."""
    if not due:
        return []
    answered = context.session.answered()
    after_write = context.tree_after(reading)
    asked = []
    for match in in_order(due, context.config, context.today):
        if match.key in answered or not payments.is_owed_still(context, match):
            continue
        # A write that pays must not be stopped for the debt that it pays.
        if after_write is None or not context.outcome_of(match.row, after_write).holds:
            asked.append(match)
    return asked


def _may_run(context: EventContext, match: Match) -> bool:
    """Return whether every command among the row's conditions is allowed on this machine."""
    if not match.row.conditions:
        return True

    commands = commands_in(match.row.conditions)
    if not commands:
        return True
    from gatilho.conditions.allowed import is_allowed

    return all(is_allowed(context.repository, text) for text in commands)


def _why_unpaid(context: EventContext, match: Match) -> list[str]:
    """Return what the commands of a debt came to when they were last run, and the end of what they wrote."""
    if not match.row.conditions:
        return []
    from gatilho.conditions.account import of_row

    return [shortened(line, 300) for line in of_row(context.repository, match.row)]


def stop_reply(context: EventContext, asked: list[Match], objections: list[str], reading: RepositoryCall) -> Reply:
    """Return the answer that stops the call. objections: what of it only the owner may decide, a line each."""
    event = context.event
    about = what_was_touched(asked, context.repository.root)
    person_decides = context.adapter.can_ask(event)
    # The setting is about due debts: what only the owner may decide is refused in any case.
    if not person_decides and context.config.unattended == "warn" and not objections:
        return _let_pass(context, asked, about)
    decision = "ask" if person_decides else "deny"
    if objections and person_decides:
        from gatilho.ladder.unasked import guarded_call

        # After a yes to this question, `unasked` must not report the call as one that was never asked about.
        context.session.tell_once(guarded_call(event.call))
    for match in asked:
        if context.session.ask(match.key, event.call or f"{context.now} {about}", decision, event.mode):
            context.session.add_line(match.key, "asked", context.now, about)
        delivery.tell_due(context, match)
    parts = refused = _first_objections(objections)
    if asked:
        reasons = _why_unpaid(context, asked[0])
        room = context.answer_budget - len("\n".join([*reasons, *refused]))
        unseen = bool(reading.command) and context.overlay(reading) is None
        spoken = messages.question(asked, about, room, _may_run(context, asked[0]), unseen)
        parts = [spoken.text, *reasons, *refused]
        if not person_decides and context.config.unattended == "record":
            parts.insert(1, messages.may_waive(asked[0].row))
        if decision == "deny":  # the agent reads the reason of a denial, not of a question
            delivery.remember(context, spoken.said)
    return Reply(decision=decision, reason="\n".join(parts))


def _first_objections(objections: list[str]) -> list[str]:
    """Return what is said of them: a folder may hold hundreds of guarded files, and hosts cut a long answer."""
    rest = len(objections) - _MOST_OBJECTIONS
    said = [shortened(one, _LONGEST_OBJECTION) for one in objections[:_MOST_OBJECTIONS]]
    return [*said, f"({counted(rest, 'more reason')} of this kind)"] if rest > 0 else said


def _let_pass(context: EventContext, asked: list[Match], about: str) -> Reply:
    """Let the write pass where no one can be asked and the configuration says so; the ledger gets a line of it."""
    for match in asked:
        if context.session.ask(match.key, context.event.call or context.now, "pass", context.event.mode):
            evidence = f"{about}, permission mode {context.event.mode or 'unknown'}"
            context.session.add_line(match.key, "passed anyway", context.now, evidence)
        delivery.tell_due(context, match)
    return Reply()


def note_happened(context: EventContext) -> None:
    """Record that a call that was asked about has happened: allowed by a person, or in spite of a denial.

    One that failed was allowed as well; but a host may report a denied call as failed.
    """
    event = context.event
    for asked in context.session.asked() if event.call else ():
        if asked.question != event.call or asked.answer:
            continue
        mode = f"permission mode {event.mode or asked.mode or 'unknown'}"
        if asked.decision == "ask":
            context.session.add_line(asked.key, "allowed", context.now, mode)
            context.session.answer(asked.key, event.call, "yes")
        elif asked.decision == "deny" and not event.failed:
            context.session.add_line(asked.key, "passed anyway", context.now, mode)
            context.session.answer(asked.key, event.call, "happened")
