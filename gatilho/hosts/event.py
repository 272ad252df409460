"""What a hook event says, whatever host sent it, and what is to be said in return."""

from gatilho.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Adapter(Protocol):
        """A module that speaks with one host."""

        BUDGET: int

        def read(self, payload: dict[str, object]) -> "Event":
            """The event in a payload."""

        def carries_context(self, event: "Event") -> bool:
            """Whether text for the agent reaches it on this event."""

        def can_ask(self, event: "Event") -> bool:
            """Whether an answer "ask" is decided by a person."""

        def answer(self, event: "Event", reply: "Reply") -> dict[str, object]:
            """The object to print; empty when there is nothing to say."""


SESSION_START = "session start"
PROMPT = "prompt"
BEFORE = "before a tool"
AFTER = "after a tool"
TURN_CLOSE = "turn close"
SESSION_END = "session end"
COMPACTION = "compaction"


class Event(Value):
    """One event.

    kind: one of the constants above, or "" for an event that gatilho has no part in. name: the host's own word for it.
    session, agent, turn, call: the host's ids, "" where it gives none. mode: the permission mode, "" where unknown.
    tool and input: the tool call. failed: the tool did not succeed. source: why a session started or who sent a prompt.
    person: a prompt that a person typed. roots: workspace folders, where a host gives these instead of `cwd`.
    """

    host: str
    kind: str
    name: str
    session: str = ""
    agent: str = ""
    turn: str = ""
    call: str = ""
    cwd: str = ""
    mode: str = ""
    tool: str = ""
    input: object = None
    failed: bool = False
    source: str = ""
    prompt: str = ""
    person: bool = True
    roots: tuple[str, ...] = ()


class Reply(Value):
    """What is to be said: context for the agent, a line for the person, and at most one decision with its reason.

    decision: "" (none), "ask" or "deny".
    """

    context: str = ""
    person: str = ""
    decision: str = ""
    reason: str = ""

    @property
    def empty(self) -> bool:
        return not (self.context or self.person or self.decision)


def text_of(payload: dict[str, object], *keys: str) -> str:
    """The first of the keys that holds a non-empty text; "" where none does, whatever else they hold."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def id_of(payload: dict[str, object], *keys: str) -> str:
    """The same for an id, which is only compared: half a surrogate pair in it is written as its escape."""
    found = text_of(payload, *keys)
    return found if found.isascii() else found.encode("utf-8", "backslashreplace").decode()
