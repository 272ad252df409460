"""A host that only `gatilho.toml` describes, as `[hosts.NAME]`: its record, made from the paths of fields.

A path is names with dots between them; a number takes an entry of a list (`workspace.0.root`).
"""

import os

from gatilho.configfile import load
from gatilho.git.root import find_repository
from gatilho.hosts import (
    A_PERSON_DECIDES,
    ANY,
    DESCRIBED,
    IMPOSSIBLE,
    PATH_KEYS,
    Host,
    Settings,
    Tool,
)
from gatilho.hosts.event import AFTER, BEFORE, PROMPT, SESSION_START, Event, Reply, id_of, text_of

# Where text reaches the agent unless the description says otherwise.
_CARRIED = (SESSION_START, PROMPT, AFTER)
_NESTED = {
    "context": "hookSpecificOutput.additionalContext",
    "decision": "hookSpecificOutput.permissionDecision",
    "reason": "hookSpecificOutput.permissionDecisionReason",
    "person": "systemMessage",
}


def register_described(name: str) -> Host | None:
    """Return the record of the host that the repository's configuration describes under a name, None for none.

    It is found by that name afterwards. The repository is the one that the hook was started in.
    """
    repository = find_repository(os.getcwd().replace("\\", "/"))
    entry = load(repository.root)[0].hosts.get(name) if repository is not None else None
    if entry is None:
        return None
    DESCRIBED[name] = described_host(name, entry)
    return DESCRIBED[name]


def described_host(name: str, entry: "dict[str, object]") -> Host:
    """Return the record of a host that is described so."""
    events = _texts(entry, "events")
    form = _texts(entry, "answer") or _NESTED
    carries = entry.get("carries")
    kinds = tuple(carries) if isinstance(carries, list) else _CARRIED
    budget = entry.get("budget")
    return Host(
        name=name,
        title=str(entry.get("title") or name),
        read=lambda payload: _read(name, entry, events, payload),
        answer=lambda event, reply: _answer(event, reply, form, kinds, bool(entry.get("by_status"))),
        events=events,
        context=tuple(event for event, kind in events.items() if kind in kinds),
        asks={ANY: A_PERSON_DECIDES if "ask" in form else IMPOSSIBLE},
        budget=budget if isinstance(budget, int) and budget else 2500,
        tools={tool: Tool(does, _list(entry, "paths") or PATH_KEYS) for tool, does in _texts(entry, "tools").items()},
        others=("",),
        settings=Settings(guarded=_list(entry, "files")),
        tells_person="person" in form,
        by_status=bool(entry.get("by_status")),
    )


def _read(name: str, entry: "dict[str, object]", events: "dict[str, str]", payload: "dict[str, object]") -> Event:
    def at(key: str) -> object:
        path = entry.get(key)
        return _at(payload, path) if isinstance(path, str) else None

    found = {
        key: at(key) for key in ("event", "session", "agent", "turn", "call", "cwd", "mode", "tool", "source", "prompt")
    }
    event = text_of(found, "event")
    agent = id_of(found, "agent")
    return Event(
        host=name,
        kind=events.get(event, ""),
        name=event,
        session=id_of(found, "session"),
        agent=agent,
        turn=id_of(found, "turn"),
        call=id_of(found, "call"),
        cwd=text_of(found, "cwd"),
        mode=text_of(found, "mode"),
        tool=text_of(found, "tool"),
        input=_input(at("input") if "input" in entry else payload, entry),
        failed=bool(at("failed")),
        source=text_of(found, "source"),
        prompt=text_of(found, "prompt"),
        person=not agent,
    )


def _input(given: object, entry: "dict[str, object]") -> object:
    """Return the arguments of a tool, with what the described paths lead to under the names that every host uses."""
    if not isinstance(given, dict):
        return given
    found = [text for path in _list(entry, "paths") for text in _texts_in(_at(given, path))]
    commands = [text for path in _list(entry, "commands") for text in _texts_in(_at(given, path))]
    # Beside these their own arguments stay, for a tool that is not listed is judged by all of them.
    return {
        **given,
        **({"paths": [*found, *_texts_in(given.get("paths"))]} if found else {}),
        **({"command": commands} if commands else {}),
    }


def _texts_in(value: object) -> list[str]:
    """Return a text, or the texts of a list."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str) and one]


def _answer(
    event: Event, reply: Reply, form: "dict[str, str]", kinds: "tuple[str, ...]", by_status: bool
) -> "dict[str, object] | str":
    if by_status and reply.decision and event.kind == BEFORE:
        return reply.reason
    said = {"context": reply.context if event.kind in kinds else "", "person": reply.person}
    if reply.decision and event.kind == BEFORE:
        said.update(decision=form.get(reply.decision, reply.decision), reason=reply.reason)
    out: dict[str, object] = {}
    for key, text in said.items():
        if text and key in form:
            _put(out, form[key], text)
    if form is _NESTED and "hookSpecificOutput" in out:
        _put(out, "hookSpecificOutput.hookEventName", event.name)
    return out


def _at(value: object, path: str) -> object:
    for part in path.split("."):
        if isinstance(value, list) and part.isdigit():
            value = value[int(part)] if int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def _put(out: "dict[str, object]", path: str, text: str) -> None:
    *above, last = path.split(".")
    for part in above:
        inner = out.setdefault(part, {})
        out = inner if isinstance(inner, dict) else {}
    out[last] = text


def _texts(entry: "dict[str, object]", key: str) -> "dict[str, str]":
    found = entry.get(key)
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _list(entry: "dict[str, object]", key: str) -> tuple[str, ...]:
    found = entry.get(key)
    return tuple(str(one) for one in found) if isinstance(found, list) else ()
