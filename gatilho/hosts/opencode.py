"""OpenCode: no command hooks; a plugin hands over its hook's objects in an envelope, and acts on a flat answer."""

from gatilho import hosts
from gatilho.hosts.event import Event, Reply, id_of, object_of, text_of

EVENTS = hosts.event_table(
    start="session.created", prompt="chat.message", before="tool.execute.before", after="tool.execute.after",
    close="session.idle", compaction="session.compacted", end="session.deleted",
)  # fmt: skip


def read(payload: dict[str, object]) -> Event:
    """Return the event in an envelope of the plugin: `hook`, `directory`, and the objects that the hook was given."""
    given, made = object_of(payload, "input"), object_of(payload, "output")
    inner = object_of(payload, "event")
    properties = object_of(inner, "properties")
    name = text_of(payload, "hook")
    if name == "event":
        name = text_of(inner, "type")
    return Event(
        host="opencode",
        kind=EVENTS.get(name, ""),
        name=name,
        session=id_of(given, "sessionID")
        or id_of(properties, "sessionID")
        or id_of(object_of(properties, "info"), "id"),
        turn=id_of(object_of(made, "message"), "id") if name == "chat.message" else "",
        call=id_of(given, "callID"),
        cwd=text_of(payload, "directory"),
        tool=text_of(given, "tool"),
        input=given.get("args", made.get("args")),
        prompt=_prompt_in(made.get("parts")),
    )


def _prompt_in(parts: object) -> str:
    texts = [text_of(part, "text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return "\n".join(text for text in texts if text)


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return what the plugin acts on; it can only throw."""
    decision = "deny" if reply.decision else ""
    return hosts.module_answer(event, reply.replace(decision=decision), HOST)


def send(event: str, tool: str, folder: str, session: str, given: dict[str, str]) -> dict[str, object]:
    """Return what the host sends of an event."""
    call = {"sessionID": session, "callID": session, "tool": tool, "args": given}
    return {"hook": event, "directory": folder, "input": call, "output": {}}


HOST = hosts.Host(
    name="opencode",
    title="OpenCode",
    program="opencode",
    traces=(".opencode/",),
    version="1.18.33",
    read=read,
    send=send,
    answer=answer,
    events=EVENTS,
    context=("session.created", "chat.message", "tool.execute.after"),
    asks={hosts.ANY: hosts.IMPOSSIBLE},
    tools=hosts.tool_table(
        reads="read grep glob list",
        writes="edit write multiedit",
        runs="bash",
        patches="apply_patch patch",
        ignored="task todowrite todoread webfetch websearch skill question",
    ),
    # The tools of a server bear its name and an underscore, without a common mark.
    others=("",),
    settings=hosts.Settings(
        ".opencode/plugins/gatilho.js",
        "",
        ".config/opencode/plugins/gatilho.js",
        hosts.MODULE,
        guarded=(".opencode/plugins/", ".opencode/plugin/", "opencode.json", "opencode.jsonc"),
    ),
    step="start it anew: modules are loaded at its start",
    marks=("OPENCODE",),
)
