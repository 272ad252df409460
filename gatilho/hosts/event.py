"""What a hook event says, whatever host sent it, and what is to be said in return."""

from gatilho.value import Value

SESSION_START = "session start"
PROMPT = "prompt"
BEFORE = "before a tool"
AFTER = "after a tool"
TURN_CLOSE = "turn close"
SESSION_END = "session end"
COMPACTION = "compaction"
# The arguments in which a tool is given a command.
COMMAND_KEYS = ("command", "cmd", "command_line", "commands", "argv")


class Event(Value):
    """One event.

    kind: one of the constants above, or "" for an event that gatilho has no part in. name: the host's own word for it.
    session, agent, turn, call: the host's ids, "" where it gives none. mode: the permission mode, "" where unknown.
    tool and input: the tool call. failed: the tool did not succeed. source: why a session started or who sent a prompt.
    person: a prompt that a person typed. roots: workspace folders, where a host gives these instead of `cwd`.
    decides: an answer to this event may stop the tool; another event of the same call does where it is False.
    transcript: the path of the file in which the host keeps the session. waited_in: the file in which
    the event had to wait.
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
    decides: bool = True
    transcript: str = ""
    waited_in: str = ""

    @property
    def said(self) -> str:
        """Return what distinguishes a call from others where the host numbers none: who makes it, and its command."""
        given = self.input if isinstance(self.input, dict) else {}
        return "\n".join([self.agent, *[str(given[key]) for key in COMMAND_KEYS if given.get(key)]])


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
    """Return the first of the keys that holds a non-empty text; "" where none does, whatever else they hold."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def data_in(text: str) -> object:
    """Return what a JSON text means, or the text itself where that is not JSON."""
    from gatilho.wire import decode

    try:
        return decode(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return text


def id_of(payload: dict[str, object], *keys: str) -> str:
    """Return the same for an id, which is only compared: half a surrogate pair in it is written as its escape."""
    found = text_of(payload, *keys)
    return found if found.isascii() else found.encode("utf-8", "backslashreplace").decode()


def texts_of(payload: dict[str, object], key: str) -> tuple[str, ...]:
    """Return the texts in a list under a key, none where there is no list."""
    value = payload.get(key)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def object_of(payload: dict[str, object], key: str) -> dict[str, object]:
    """Return the object under a key, an empty one where there is none."""
    value = payload.get(key)
    return value if isinstance(value, dict) else {}
