"""What would settle rows behind the ladder's back: an agent's own strike, a lowered count, a settling command."""

from gatilho.hosts.tools import tool_call
from gatilho.ladder.scene import Scene
from gatilho.model import Row
from gatilho.store.tables import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.ladder.touching import Reading

SETTLING = ("pay", "waive", "allow", "set", "reinstate", "revoke", "supersede", "expire", "rename")
# What decides whether the ladder runs at all.
_REGISTRATIONS = (
    "gatilho.toml",
    "scripts/gatilho.py",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cursor/hooks.json",
)


def objections(scene: Scene, reading: "Reading") -> list[str]:
    """Why this call is not the agent's to make, a line each; none for adding and rewording rows."""
    alone = scene.config.unattended == "record" and not scene.adapter.can_ask(scene.event)
    own = ("waive",) if alone else ()
    found = [text for command in reading.simple or (reading.command,) if (text := _settling_command(command, own))]
    for touch in reading.touches:
        if touch.kind == "write":
            found += _objections_to_write(scene, touch.path, bool(reading.command))
    return list(dict.fromkeys(found))


def _settling_command(command: str, own: tuple[str, ...] = ()) -> str:
    """Why a simple command is not the agent's to run; own: the verbs that the configuration leaves to it."""
    words = command.split()
    for i, word in enumerate(words[:6]):
        name = word.replace("\\", "/").rsplit("/", 1)[-1].strip("'\"")
        if name in ("gatilho", "gatilho.py", "gatilho.exe"):
            verb = next((w for w in words[i + 1 :] if not w.startswith("-")), "")
            if verb in SETTLING and verb not in own:
                return (
                    f"`gatilho {verb}` settles rows: it is for a person, in a terminal of their own. "
                    "Agent: make the edit that pays, or tell the owner."
                )
    return ""


def _objections_to_write(scene: Scene, path: str, by_command: bool) -> list[str]:
    root = scene.repository.root + "/"
    name = path.removeprefix(root) if path.startswith(root) else ""
    if name in _REGISTRATIONS:
        return [f"{name} decides whether and how the notes of this repository speak: an edit needs the owner's word."]
    if not name.startswith(FOLDER + "/"):
        return []
    if name.startswith(f"{FOLDER}/ledger/"):
        return [f"{name} is part of the ledger, which only the program writes."]
    if not name.endswith(".md"):
        return []
    if by_command:
        return [f"{name}: what a shell command would make of a table cannot be seen; use an edit, which is."]
    return _settled_by_edit(scene, name)


def _settled_by_edit(scene: Scene, name: str) -> list[str]:
    """What an edit of a table would strike, restate, lower or remove."""
    from gatilho.conditions.outcome import overlay_of

    event, root = scene.event, scene.repository.root
    overlay = overlay_of(event.tool, event.input, event.cwd or root, root)
    if overlay is None or name not in overlay:
        return (
            [f"{name}: what this call would make of the table cannot be seen."]
            if tool_call(event.tool, event.input).paths
            else []
        )
    try:
        with open(f"{root}/{name}", "rb") as file:
            old = file.read()
    except OSError:
        return []
    lifecycle = scene.config.sources.get(name[len(FOLDER) + 1 :], "rule")
    return settled_between(_rows(old, name, lifecycle), _rows(overlay[name] or b"", name, lifecycle))


def _rows(data: bytes, name: str, lifecycle: str) -> list[Row]:
    from gatilho.store.rows import read_rows

    return read_rows(data, name, lifecycle)[0]


def settled_between(old: list[Row], new: list[Row]) -> list[str]:
    """What stands between two versions of a table that only the owner may decide, a line for each row.

    Adding rows, rewording them and moving them within the table is free.
    """
    after = {row.id: row for row in new}
    found = []
    for row in old:
        now = after.get(row.id)
        if now is None:
            found.append(f"{row.id} would be removed from {row.place}.")
        elif now.struck != row.struck:
            found.append(
                f"The strike of {row.id} would change ({row.place}): a person strikes an id, or its condition holds."
            )
        elif now.state_text != row.state_text:
            found.append(
                f"The state of {row.id} would change from `{row.state_text}` to `{now.state_text}` ({row.place})."
            )
        elif (now.rides or 0) < (row.rides or 0):
            found.append(f"The rides of {row.id} would fall from {row.rides} to {now.rides or 0} ({row.place}).")
        elif row.is_debt and not now.is_debt:
            found.append(f"{row.id} would cease to be a debt ({row.place}).")
    return found
