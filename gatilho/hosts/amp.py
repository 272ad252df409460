"""Amp: no command hooks; a plugin hands over its handler's objects in an envelope, and acts on a flat answer."""

from gatilho import hosts
from gatilho.hosts.event import AFTER, PROMPT, TURN_CLOSE, Event, id_of, object_of, text_of

EVENTS = hosts.event_table(
    start="session.start", prompt="agent.start", before="tool.call", after="tool.result", close="agent.end"
)


def read(payload: dict[str, object]) -> Event:
    """Return the event in an envelope of the plugin: `hook`, `workspace`, and the object that the handler was given."""
    name = text_of(payload, "hook")
    given = object_of(payload, "event")
    kind = EVENTS.get(name, "")
    return Event(
        host="amp",
        kind=kind,
        name=name,
        session=id_of(object_of(given, "thread"), "id"),
        turn=id_of(given, "id") if kind in (PROMPT, TURN_CLOSE) else "",
        call=id_of(given, "toolUseID"),
        cwd=text_of(payload, "workspace"),
        tool=text_of(given, "tool"),
        input=given.get("input"),
        failed=kind == AFTER and given.get("status") == "error",
        prompt=text_of(given, "message") if kind == PROMPT else "",
    )


def send(event: str, tool: str, folder: str, session: str, given: dict[str, str]) -> dict[str, object]:
    """Return what the host sends of an event."""
    call = {"thread": {"id": session}, "toolUseID": session, "tool": tool, "input": given, "status": "done"}
    return {"hook": event, "workspace": folder, "event": call}


HOST = hosts.Host(
    name="amp",
    title="Amp",
    program="amp",
    traces=(".amp/",),
    read=read,
    send=send,
    answer=hosts.module_answer,  # it has a dialog to confirm a call
    events=EVENTS,
    context=("session.start", "agent.start", "tool.result"),
    failed_context=True,
    asks={hosts.ANY: hosts.A_PERSON_DECIDES},
    tools=hosts.tool_table(
        reads="Read Grep glob list_directory",
        writes="edit_file create_file undo_edit",
        runs="Bash",
        patches="apply_patch",
        ignored="Task oracle librarian web_search read_web_page todo_write todo_read",
    ),
    settings=hosts.Settings(
        ".amp/plugins/gatilho.js", "", ".config/amp/plugins/gatilho.js", hosts.MODULE, guarded=(".amp/plugins/",)
    ),
    step="run `plugins: reload` in its command palette, or start it anew",
)
