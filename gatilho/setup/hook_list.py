"""Our hooks in a settings file that holds one list of them, each with the event that triggers it."""

import json
from typing import Any

from gatilho.errors import DocumentError
from gatilho.hosts import Host
from gatilho.setup import jsontext, registration
from gatilho.setup.jsontext import Node


def register_in_list(text: str, file: str, host: Host, command: str) -> str:
    """Return the settings with one hook of ours for each event of the host; the text itself where all is there.

    Raises DocumentError where the file is no JSON, or of another form.
    """
    wanted = [_entry(host, event, command) for event in host.limits]
    if not text.strip():
        return json.dumps({"version": "v1", "hooks": wanted}, indent=2, ensure_ascii=False) + "\n"
    left = {one["trigger"]: one for one in wanted}
    hooks = _list_in(text, file)
    for at in reversed(range(len(hooks.children))):
        hooks = _list_in(text, file)
        node = hooks.children[at][2]
        found = jsontext.value_of(text, node)
        if not _calls_us(found):
            continue
        ours = left.pop(found.get("trigger"), None)
        if ours is None:
            text = jsontext.remove(text, hooks, node)
        elif not _is_current(found, ours):
            text = jsontext.replace_value(text, node, {**found, "action": ours["action"], "timeout": ours["timeout"]})
    for one in wanted:
        if one["trigger"] in left:
            text = jsontext.insert(text, _list_in(text, file), "", one)
    return text


def unregister_from_list(text: str, file: str) -> str:
    """Return the settings without our hooks, "" where nothing else is left."""
    before, hooks = text, _list_in(text, file)
    for at in reversed(range(len(hooks.children))):
        hooks = _list_in(text, file)
        node = hooks.children[at][2]
        if _calls_us(jsontext.value_of(text, node)):
            text = jsontext.remove(text, hooks, node)
    settings = jsontext.data_of(text)
    was_empty = jsontext.was_empty(before, _list_in(before, file))
    return "" if text != before and settings == {"version": "v1", "hooks": []} and not was_empty else text


def hooks_in_list(text: str, file: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the event of each hook of ours, and what calls us, with the time limit and a person's switch."""
    hooks = _list_in(text, file)
    found = [jsontext.value_of(text, node) for _, _, node in hooks.children]
    return [
        (str(one.get("trigger")), {**one["action"], **{key: one[key] for key in ("timeout", "enabled") if key in one}})
        for one in found
        if _calls_us(one)
    ]


def _calls_us(entry: Any) -> bool:
    """Return whether a hook of the list calls us."""
    return isinstance(entry, dict) and registration.is_ours(entry.get("action"))


def _entry(host: Host, event: str, command: str) -> dict[str, Any]:
    handler = registration.handler(host, event, command)
    limit = handler.pop("timeout")
    return {"name": f"gatilho-{event}", "trigger": event, "action": handler, "timeout": limit, "enabled": True}


def _is_current(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Return whether a hook calls as ours does; its name, a matcher, a longer limit and a switch are a person's own."""
    limit = found.get("timeout")
    lasting = isinstance(limit, int | float) and limit >= wanted["timeout"]
    return bool(lasting and found["action"] == wanted["action"])


def _list_in(text: str, file: str) -> Node:
    top = jsontext.parse_json(text, file)
    hooks = top.get("hooks") if top.opening == "{" else None
    if hooks is None or hooks.opening != "[":
        raise DocumentError(f"{file}: `hooks` is not a list; nothing was written. Correct it and try again.")
    return hooks
