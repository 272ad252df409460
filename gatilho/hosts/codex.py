"""Codex CLI: Claude-shaped events, strict answers, and no way to ask (measured on 0.171.0)."""

from gatilho.hosts import claude
from gatilho.hosts.event import SESSION_END, Event, Reply

CONTEXT_EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse")
BUDGET = 4000


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload."""
    event = claude.read(payload, "codex")
    if event.name == "Interrupt":  # no Stop follows an interrupt: the turn is settled as one that ended
        event.kind = SESSION_END
    return event


def carries_context(event: Event) -> bool:
    """Return whether text for the agent reaches it on this event."""
    return event.name in CONTEXT_EVENTS


def can_ask(event: Event) -> bool:
    """Return False: "ask" makes the hook count as failed, and the tool runs."""
    from gatilho.hosts.asking import person_decides

    return person_decides("codex", event.mode)


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return the answer in Claude Code's form. An unknown key voids the whole answer,
    so nothing is sent that an event does not list.
    """
    if event.name == "SessionEnd":
        return {}
    context = reply.context if carries_context(event) else ""
    decision = "deny" if reply.decision else ""
    return claude.answer(event, Reply(context, reply.person, decision, reply.reason))
