"""What would settle rows past the ladder: an agent's own strike, a lowered count, a settling command."""

from gatilho.hosts import SETTINGS_PLACES
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.tool_call import RepositoryCall
from gatilho.model import Row
from gatilho.tables import FOLDER, is_store_file
from gatilho.triggers import paths

SETTLING = ("pay", "waive", "allow", "set", "reinstate", "revoke", "supersede", "expire", "rename")
_NAMES = ("gatilho", "gatilho.exe", "gatilho.py")
# They run, or type into a terminal that they make, what is in their arguments; the reader of shell does not follow.
_CARRIERS = frozenset(
    ("at", "batch", "bwrap", "chroot", "expect", "faketime", "fakeroot", "firejail", "ltrace", "nix",
     "node", "parallel", "perl", "pipx", "ruby", "runuser", "screen", "script", "strace", "su", "systemd-run", "tmux",
     "unshare", "winpty", "xvfb-run", "zellij")
)  # fmt: skip
_MARKS_OF_CODE = {**dict.fromkeys(map(ord, "'\"\\")), **dict.fromkeys(map(ord, "`$()[]{},;|&<>"), " ")}
# What decides whether the ladder runs at all, besides the files that hosts read hooks from.
_REGISTRATIONS = ("gatilho.toml", "scripts/gatilho.py")

_ASK = "Ask the owner."
_OWNERS_FILE = "{} controls gatilho. Only the owner may edit it."


def objections(scene: EventContext, reading: RepositoryCall) -> list[str]:
    """Return why this call is not the agent's to make, a line each; none for adding and rewording rows."""
    found = []
    may_waive = scene.config.unattended == "record" and not scene.adapter.can_ask(scene.event)
    for command in reading.simple or (reading.command,):
        verb = settling_verb(command)
        if verb and not (verb == "waive" and may_waive):
            found.append(
                f"`gatilho {verb}` settles rows. Only a person may run it, in their own terminal. "
                "Agent: make the edit that pays, or ask the owner."
            )
    for touch in reading.touches:
        if touch.kind == "write":
            found += _objections_to_permission(touch.path)
            for name in paths.names_in(touch.path, scene.repository.root):
                found += _objections_to_write(scene, name, bool(reading.command))
    return list(dict.fromkeys(found))


def settling_verb(command: str) -> str:
    """Return the verb with which a simple command settles rows, "" for any other command.

    It runs `gatilho` itself, the module, or the dispatcher by an interpreter, or has a carrier run it; a text that only
    speaks of it does not.
    """
    words = [word.strip("'\"").replace("\\", "/") for word in command.split()]
    program = _name(words[0]) if words else ""
    if program in _CARRIERS or program.startswith(("$(", "`")):
        return _verb_within(command)
    if program == "py" or program.startswith(("python", "pypy", "py.exe")):
        words = _run_by_python(words[1:])
        if words[:1] == ["-c"]:
            return _verb_within(command)
    if not words or _name(words[0]) not in _NAMES:
        return ""
    verb = next((word.replace("'", "").replace('"', "") for word in words[1:] if not word.startswith("-")), "")
    return verb if verb in SETTLING else ""


def _verb_within(command: str) -> str:
    """Return the verb after the first `gatilho`, or call of its `main`, that has one,
    whether it is in quotes or not.
    """
    words = [word for word in command.translate(_MARKS_OF_CODE).split() if word != "--"]
    names = (_name(word.removeprefix("-m")) for word in words)
    return next((verb for name, verb in zip(names, words[1:]) if name in (*_NAMES, "main") and verb in SETTLING), "")


def _run_by_python(words: list[str]) -> list[str]:
    """Return the module or script that the interpreter runs, and its arguments.

    From `-c` on for a program given as text.
    """
    while words and words[0].startswith("-"):
        letters = words[0].lstrip("-")
        at = next((at for at, letter in enumerate(letters) if letter in "cmWX"), None)
        if at is None or words[0].startswith("--"):
            words = words[1:]
        elif letters[at] == "c":
            return ["-c", *words[1:]]
        elif letters[at + 1 :]:
            words = [letters[at + 1 :], *words[1:]] if letters[at] == "m" else words[1:]
        else:
            words = words[1:] if letters[at] == "m" else words[2:]
    return words


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _objections_to_permission(path: str) -> list[str]:
    """Return why a write of that absolute path is refused: permissions are kept outside of every repository."""
    if "/gatilho" not in path:
        return []
    from gatilho.conditions.allowed import keeps

    if not keeps(path):
        return []
    return [
        f"{path} holds what a person allowed on this machine. Only `gatilho allow` in their own terminal writes it."
    ]


def _objections_to_write(scene: EventContext, name: str, by_command: bool) -> list[str]:
    """Return why a write of that file is refused; name: its path relative to the repository."""
    if name in _REGISTRATIONS or _registers_hooks(scene, name):
        return [_OWNERS_FILE.format(name)]
    if name == "pyproject.toml":
        return [] if by_command else _configured_by_edit(scene, name)
    if not name.startswith(FOLDER + "/"):
        return []
    if name.startswith(f"{FOLDER}/ledger/"):
        return [f"{name} is part of the ledger, which only the program writes."]
    if not is_store_file(name):
        return []
    if by_command:
        return [f"{name}: change tables with the edit tool, so that the change can be checked first."]
    return _settled_by_edit(scene, name)


def _registers_hooks(scene: EventContext, name: str) -> bool:
    """Return whether any host reads hooks from the file, or the event's own, whose record may be a new one."""
    guarded = scene.adapter.settings.guarded
    if name.startswith(".") or any(place in name for place in SETTINGS_PLACES):
        from gatilho.hosts import catalog

        guarded += catalog.guarded_files()
    return any(name == file or (file.endswith("/") and name.startswith(file)) for file in guarded)


def _configured_by_edit(scene: EventContext, name: str) -> list[str]:
    """Return whether an edit of a file of many tools changes our table in it."""
    from gatilho.conditions.outcome import overlay_of
    from gatilho.configfile import configuration_in

    event, root = scene.event, scene.repository.root
    overlay = overlay_of(event.tool, event.input, event.cwd or root, root)
    if overlay is None or name not in overlay:
        return []
    old, new = _content(f"{root}/{name}"), overlay[name]
    differs = configuration_in(None, old)[0] != configuration_in(None, new)[0]
    return [_OWNERS_FILE.format(f"[tool.gatilho] in {name}")] if differs else []


def _settled_by_edit(scene: EventContext, name: str) -> list[str]:
    """Return what an edit of a table would strike, restate, lower or remove."""
    from gatilho.conditions.outcome import overlay_of

    event, root = scene.event, scene.repository.root
    overlay = overlay_of(event.tool, event.input, event.cwd or root, root)
    if overlay is None:
        return [f"{name}: the result of this call cannot be predicted. Use the edit tool."]
    if name not in overlay:  # the name of a link: its target's is looked at
        return []
    old = _content(f"{root}/{name}")
    lifecycle = scene.config.sources.get(name[len(FOLDER) + 1 :], "rule")
    before, after = _rows(old, name, lifecycle), _rows(overlay[name] or b"", name, lifecycle)
    return settled_between(before, after) + _taken_ids(scene, before, after)


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _rows(data: bytes, name: str, lifecycle: str) -> list[Row]:
    from gatilho.document.rows import read_rows

    return read_rows(data, name, lifecycle)[0]


def _taken_ids(scene: EventContext, before: list[Row], after: list[Row]) -> list[str]:
    """Return an objection for each new row whose id another row has: neither could be written after that."""
    known = [row.id for row in before]
    found = []
    for row in after:
        if row.id in known:
            known.remove(row.id)
        elif any(not taken.row.store for taken in scene.index.rows_with_id(row.id)):
            found.append(f"{row.id} is already the id of another row: give the new row a different id.")
    return found


def settled_between(old: list[Row], new: list[Row]) -> list[str]:
    """Return what is between two versions of a table that only the owner may decide, a line for each row.

    Adding rows, rewording them and moving them within the table is free.
    """
    after: dict[str, list[Row]] = {}
    for row in new:
        after.setdefault(row.id, []).append(row)
    found = []
    for row in old:
        rest = after.get(row.id)
        text = _settled(row, rest.pop(0)) if rest else f"This edit would remove {row.id} ({row.place}). {_ASK}"
        found += [text] if text else []
    return found


def _settled(row: Row, now: Row) -> str:
    """Return what would be settled of one row, "" for a rewording."""
    if now.struck != row.struck:
        verb = "strike" if now.struck else "take the strike off"
        return (
            f"This edit would {verb} {row.id} ({row.place}). Only a person may strike an id; "
            "make its condition true instead, or ask the owner."
        )
    if now.state_text != row.state_text:
        change = f"from `{row.state_text}` to `{now.state_text}`"
        return f"This edit would change the state of {row.id} {change} ({row.place}). {_ASK}"
    if row.rides is not None and (now.rides is None or now.rides < row.rides):
        change = "to no number" if now.rides is None else f"from {row.rides} to {now.rides}"
        return f"This edit would lower the rides of {row.id} {change} ({row.place}). {_ASK}"
    if row.is_debt and not now.is_debt:
        return f"This edit would make {row.id} a rule instead of a debt ({row.place}). {_ASK}"
    if row.is_debt and (now.ask_after, now.expires, now.not_before) != (row.ask_after, row.expires, row.not_before):
        return f"This edit would change when {row.id} is asked about ({row.place}). {_ASK}"
    return ""
