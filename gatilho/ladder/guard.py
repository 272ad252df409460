"""What would change rows past the ladder: an agent's own strike, a lowered count, a guarded command."""

import os

from gatilho import bounded
from gatilho.conditions.outcome import Overlay
from gatilho.fast_path import EDITS, FED, UNKNOWN
from gatilho.git.attributes import FILE as ATTRIBUTES
from gatilho.hosts import SETTINGS_PLACES
from gatilho.ladder.decide import owners_changes, paired
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.guarded_commands import HOOK, REMOVAL, guarded_verb
from gatilho.ladder.tool_call import SHUTTING, RepositoryCall
from gatilho.model import Row
from gatilho.tables import FOLDER, is_below_store, is_store_file, name_in_store
from gatilho.triggers import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# What decides whether the ladder runs at all, besides the files that hosts read hooks from.
_REGISTRATIONS = ("gatilho.toml", "scripts/gatilho.py", ".git/config")
# The folder of what a person allowed, where a command names it by a variable or by `~`.
_PERMISSIONS = ("state/gatilho", "gatilho/allowed")
# Where installed packages are; its sources in a checkout of its own are free.
_INSTALLED = ("/site-packages", "/dist-packages")
_BELOW_GIT = (".git/gatilho/", ".git/gatilho-id", ".git/hooks/", ".git/info/attributes", ".git/info/sparse-checkout")
_CONFIGURATION = "pyproject.toml"
_LOOKING = frozenset(
    ("ls", "cat", "head", "tail", "stat", "file", "wc", "find", "grep", "rg", "du", "tree", "test", "less", "more",
     "sort", "uniq", "cut", "jq", "diff", "cmp", "md5sum", "sha256sum", "od", "xxd", "strings", "basename", "dirname",
     "realpath", "readlink", "echo", "printf", "cd", "pwd", "[", "[[")
)  # fmt: skip
# What may come by a file whose name it is given: by itself, or where what it prints goes somewhere.
_COPYING = frozenset(("cp", "ln", "install", "rsync", "mv", "dd", "scp"))
_PRINTING = frozenset(("cat", "sed", "awk", "tee", "head", "tail", "git", "perl", "python", "python3"))
_DISPATCHER = "scripts/gatilho.py"
_LONGEST_SCRIPT = 65_536
# What names the merge driver, the folder that git takes its hooks from, and files with more settings.
_OF_GIT = ("merge.gatilho", "core.hookspath", "include.path", "includeif.")
_DRIVER = "gatilho"

_ASK = "Ask the owner."
_FEEDS = "Only the host may start the hook: this command would feed it an event of its own. " + _ASK
_REMOVES = (
    "This command would uninstall gatilho, and its hooks with it. Only a person may run it, in their own terminal. "
    + _ASK
)
_OWNERS_FILE = "{} controls gatilho. Only the owner may edit it."
_MERGED = "This write would make git merge {} otherwise than by its rows. " + _ASK
_UNSEEN = "{}: what this call leaves cannot be predicted. Use the edit tool, so that it keeps how git merges tables."
_WITH_FOLDER = (
    "This command would write {} along with the folder around it. Name the other files one by one, or ask the owner."
)


def objections(context: EventContext, reading: RepositoryCall) -> list[str]:
    """Return why this call is not the agent's to make, a line each; none for adding and rewording rows."""
    found = _objections_to_command(context, reading) if reading.command else []
    for touch in reading.touches:
        if touch.kind != "write" or touch.form_only:
            continue
        found += _objections_to_permission(touch.path) + _objections_to_settings(context, touch.path)
        for name in paths.names_in(touch.path, context.repository.root):
            found += _objections_to_write(context, name, reading)
    return list(dict.fromkeys(found))


def _objections_to_command(context: EventContext, reading: RepositoryCall) -> list[str]:
    found = []
    verb = guarded_verb(reading.calls, lambda text: bool(context.index.rows_with_id(text)))
    may_waive = context.config.unattended == "record" and not context.adapter.can_ask(context.event)
    if verb == HOOK:
        found.append(_FEEDS)
    elif verb == REMOVAL:
        found.append(_REMOVES)
    elif verb and not (verb == "waive" and may_waive):
        does = "changes how gatilho runs or what it counts" if verb in _OWNERS_COMMANDS else "settles rows"
        found.append(
            f"`gatilho {verb}` {does}. Only a person may run it, in their own terminal. "
            "Agent: make the edit that pays, or ask the owner."
        )
    if "GIT_CONFIG_" in reading.command and _OF_GIT[0] in reading.command.lower():
        found.append(_OWNERS_FILE.format("This setting of git"))
    for call in reading.calls:
        text = " ".join(call)
        is_git = call[0].rpartition("/")[2] == "git"
        sets = is_git and "config" in call and not _only_asks(call)
        overrides = is_git and f"{_OF_GIT[0]}.driver=" in text.lower()  # with `-c`, for this call alone
        if overrides or (sets and (any(key in text.lower() for key in _OF_GIT) or not EDITS.isdisjoint(call))):
            found.append(_OWNERS_FILE.format("This setting of git"))
        # A program that only looks may name the folder, unless a redirection writes there.
        if any(name in text for name in _PERMISSIONS) and (not _only_looks(call) or ">" in reading.command):
            found.append(_OWNERS_FILE.format("The folder of allowed commands"))
        found += _objections_to_program(context, reading, call, text)
    return found + _written_with_folders(context, reading)


def _objections_to_program(
    context: EventContext, reading: RepositoryCall, call: tuple[str, ...], text: str
) -> list[str]:
    """Return why a program may not have our own files: the state of sessions, and a copy of what feeds the hook."""
    if call[0] == FED:
        return [_FEEDS] if _feeds_hook(reading, call[1:]) else []
    shuts = call[0] in SHUTTING
    read = [touch.path for touch in reading.touches if touch.kind == "read" and _names(call, touch.path)]
    if not _only_looks(call):
        states = {context.repository.own_state, context.repository.shared_state}
        if ".git/gatilho" in text or any(_reaches(path, state, shuts) for path in read for state in states):
            return [_OWNERS_FILE.format("The state in .git/gatilho")]
    if shuts or _links_hard(call):
        for name in (name for path in read for name in paths.names_in(path, context.repository.root)):
            if _is_owners(context, name) or (shuts and _is_above_store(context, name)):
                return [_OWNERS_FILE.format(name)]
    if any(word.endswith("gatilho.py") for word in call[1:]):
        printed = call[0] in _PRINTING and (
            ">" in reading.command or any(one[0] in (FED, "tee", "sponge") for one in reading.calls)
        )
        if call[0] in _COPYING or printed:
            return [f"A copy of {_DISPATCHER} could feed the hook an event of its own. " + _ASK]
    return []


def _reaches(path: str, folder: str, shuts: bool) -> bool:
    """Return whether a path is in a folder; for a program that shuts what it names, also whether it is around it."""
    return f"{path}/".startswith(f"{folder}/") or (shuts and folder.startswith(f"{path}/"))


def _links_hard(call: tuple[str, ...]) -> bool:
    """Return whether a call gives a file one more name, which nothing shows in that name later."""
    letters = "".join(word[1:] for word in call[1:] if word[:1] == "-" != word[1:2])
    if call[0] in ("ln", "link"):
        return "s" not in letters and "--symbolic" not in call
    return call[0] == "cp" and ("l" in letters or "--link" in call)


def _names(call: tuple[str, ...], path: str) -> bool:
    """Return whether a word of a call may name a path, by the last part of the word."""
    parts = path.split("/")
    ends = [word.rstrip("/").rpartition("/")[2] for word in call[1:]]
    return any(end in parts or any(mark in end for mark in "*?[") for end in ends if end)


def _feeds_hook(reading: RepositoryCall, call: tuple[str, ...]) -> bool:
    """Return whether a script that is fed is one that hands what it reads to the hook, or may be made just now."""
    from gatilho.ladder.guarded_commands import calls_hook

    scripts = [word for word in call if word.endswith(".py") or "/" in word]
    read = [touch.path for touch in reading.touches]
    for word in scripts:
        own = word.removeprefix("./")
        places = [path for path in read if path.endswith("/" + own)] + [paths.absolute(word, reading.cwd) or ""]
        try:
            data = next(bounded.head(path, _LONGEST_SCRIPT) for path in places if _is_file(path))
        except (OSError, StopIteration):
            if calls_hook(reading.command):
                return True
            continue
        if b"gatilho" in data and b"hook" in data:
            return True
    return False


def _only_asks(call: tuple[str, ...]) -> bool:
    """Return whether a call of `git config` only says what a setting is."""
    rest = call[call.index("config") + 1 :]
    changes = any(word.startswith(("--unset", "--re", "--add", "--edit", "-e")) for word in rest)
    named = [word for word in rest if word[0:1] != "-"]
    asks = any(word.startswith(("--get", "--list", "-l")) for word in rest) or named[:1] in (["get"], ["list"])
    return not changes and (asks or len(named) < 2)


def _is_file(path: str) -> bool:
    from os.path import isfile

    return isfile(path)


def _only_looks(call: tuple[str, ...]) -> bool:
    """Return whether a simple command reads and does nothing else; `find` can also delete and start programs."""
    acts = call[0] == "find" and any(word.startswith(("-delete", "-exec", "-ok", "-fprint", "-fls")) for word in call)
    return call[0] in _LOOKING and not acts


_OWNERS_COMMANDS = ("init", "uninstall", "doctor", "fold", "ledger", "merge-driver")


def _written_with_folders(context: EventContext, reading: RepositoryCall) -> list[str]:
    from gatilho.ladder.folder_writes import written_with_folders

    root = context.repository.root
    names = _guarded_names(context)
    written = written_with_folders(reading.calls, reading.cwd or root, root, names)
    if written.changed_only:
        from gatilho.git.query import ask_names_of_tree

        changed = ask_names_of_tree(root, "diff", "--name-only", "-z", "HEAD", "--", *names) or []
        written.names += [name for name in written.changed_only if name in changed]
    lost = [name for old, new in written.moved for name in _lost_with_commits(context, old, new)]
    if lost:
        return [f"This command would take {lost[0]} out of the branch along with its commit. " + _ASK]
    return [_WITH_FOLDER.format(written.names[0])] if written.names else []


def _lost_with_commits(context: EventContext, old: str, new: str) -> list[str]:
    """Return the files of the ledger that one revision has and the other has not."""
    if old.startswith("-") or new.startswith("-") or UNKNOWN in old + new:
        return []
    from gatilho.git.query import ask_names

    ledgers = [store.shown(store.ledger) for store in context.index.own_stores]
    removed = "diff-tree", "-r", "--name-only", "-z", "--diff-filter=D", old, new, "--"
    return ask_names(context.repository.root, *removed, *ledgers) or []


def _guarded_names(context: EventContext) -> list[str]:
    """Return the guarded files that are there, relative to the root: tables first, and of the ledger one file."""
    from os.path import exists

    from gatilho.hosts import catalog
    from gatilho.tables import documents_by_name, ledger_files

    root = context.repository.root
    own = context.index.own_stores
    names = list(documents_by_name(own))
    names += [store.shown(f"{store.ledger}/{name}") for store in own for name in ledger_files(store)[:1]]
    others = ("gatilho.toml", "scripts/gatilho.py", *catalog.guarded_files())
    names += [name.rstrip("/") for name in others if exists(f"{root}/{name}")]
    if _configures(bounded.read_quietly(f"{root}/{_CONFIGURATION}")):
        names.append(_CONFIGURATION)
    return names


def _objections_to_permission(path: str) -> list[str]:
    """Return why a write of that absolute path is refused: of permissions, kept outside of repositories, or of us."""
    if "/gatilho" not in path:
        return []
    if any(f"{place}/gatilho" in path for place in _INSTALLED):
        return [_OWNERS_FILE.format(path)]
    from gatilho.conditions.allowed import keeps

    if not keeps(path):
        return []
    return [
        f"{path} holds what a person allowed on this machine. Only `gatilho allow` in their own terminal writes it."
    ]


def _objections_to_settings(context: EventContext, path: str) -> list[str]:
    """Return why a write of that absolute path is refused: a host may read a person's own settings from it.

    Of another host than the event's they count where they name the hooks.
    """
    home = os.environ.get("HOME", "")
    if not home or not path.startswith(f"{home}/"):
        return []
    from gatilho.hosts import catalog

    name = path[len(home) + 1 :]
    for host in catalog.hosts():
        user = host.settings.user
        is_named = user and (f"{user}/".startswith(f"{name}/") or (user[-1:] == "/" and name.startswith(user)))
        if is_named and (host.name == context.adapter.name or b"gatilho" in bounded.read_quietly(f"{home}/{user}")):
            return [_OWNERS_FILE.format(path)]
    return []


def _objections_to_write(context: EventContext, name: str, reading: RepositoryCall) -> list[str]:
    """Return why a write of that file is refused; name: its path relative to the repository."""
    if _is_registration(context, name):
        return [_OWNERS_FILE.format(name)]
    if name.rpartition("/")[2] == ATTRIBUTES:
        return _merged(context, name, context.overlay(reading))
    if name == _CONFIGURATION:
        return _configured(context, name, reading, context.overlay(reading))
    if _is_above_store(context, name) and (is_below_store(name) or not reading.command):
        said = _WITH_FOLDER.format(FOLDER)
        return [said if reading.command else said.replace("command", "call")]
    if not is_below_store(name):
        return []
    if f"/{FOLDER}/ledger/" in f"/{name}":
        return [f"{name} is part of the ledger, which only the program writes."]
    if not is_store_file(name):
        return []
    if reading.command:
        return [f"{name}: change tables with the edit tool, so that the change can be checked first."]
    return _objections_to_edit(context, name, context.overlay(reading))


def _is_registration(context: EventContext, name: str) -> bool:
    """Return whether a file decides whether the ladder runs at all."""
    return name in _REGISTRATIONS or name.startswith(_BELOW_GIT) or _registers_hooks(context, name)


def _is_owners(context: EventContext, name: str) -> bool:
    return is_below_store(name) or _is_registration(context, name)


def _is_above_store(context: EventContext, name: str) -> bool:
    from os.path import isdir

    stores = (f"{subtree}{FOLDER}/" for subtree in ("", *context.index.nested))
    return any(store.startswith(name + "/") for store in stores) and isdir(f"{context.repository.root}/{name}")


def _registers_hooks(context: EventContext, name: str) -> bool:
    """Return whether any host reads hooks from the file, or the event's own, whose record may be a new one."""
    guarded = context.adapter.settings.guarded_files
    if name.startswith(".") or any(place in name for place in SETTINGS_PLACES):
        from gatilho.hosts import catalog

        guarded += catalog.guarded_files()
    return any(name == file or (file.endswith("/") and name.startswith(file)) for file in guarded)


def _configured(context: EventContext, name: str, reading: RepositoryCall, overlay: Overlay | None) -> list[str]:
    """Return whether a write of a file of many tools changes our table in it, or may: then by a shell."""
    old = bounded.read_quietly(f"{context.repository.root}/{name}")
    if overlay is None or name not in overlay:
        named = _configures(old) or "gatilho" in " ".join(map(" ".join, reading.calls))
        differs = bool(reading.command) and named
    else:
        from gatilho.configfile import configuration_in

        differs = configuration_in(None, old)[0] != configuration_in(None, overlay[name])[0]
    return [_OWNERS_FILE.format(f"[tool.gatilho] in {name}")] if differs else []


def _merged(context: EventContext, name: str, overlay: Overlay | None) -> list[str]:
    """Return whether a write of git's attributes takes a table from the merge driver, or may."""
    from gatilho.git.attributes import merge_in
    from gatilho.tables import documents_by_name

    root, folder = context.repository.root, name.removesuffix(ATTRIBUTES)
    old = bounded.read_quietly(f"{root}/{name}")
    ours = bounded.read_quietly(f"{root}/{ATTRIBUTES}") if folder else b""
    for table in [*documents_by_name(context.index.own_stores), f"{FOLDER}/backlog.md"]:
        if not table.startswith(folder):
            continue
        was = merge_in(old, table.removeprefix(folder), context.budget)
        if (was or merge_in(ours, table, context.budget)) != _DRIVER:
            continue
        if overlay is None or name not in overlay:
            return [_UNSEEN.format(name)]
        now = merge_in(overlay[name] or b"", table.removeprefix(folder), context.budget)
        if now != was and now != _DRIVER and (now or was):
            return [_MERGED.format(table)]
    return []


def _configures(data: bytes) -> bool:
    return b"[tool.gatilho" in data


def _objections_to_edit(context: EventContext, name: str, overlay: Overlay | None) -> list[str]:
    """Return what an edit of a table would strike, restate, lower or remove."""
    if overlay is None:
        return [
            f"{name}: the result of this call cannot be predicted. Use the edit tool with a text that is there once."
        ]
    if name not in overlay:  # the name of a link: its target's is looked at
        return []
    old = bounded.read_quietly(f"{context.repository.root}/{name}")
    lifecycle = context.config.sources.get(name_in_store(name), "rule")
    before, after = _rows(old, name, lifecycle), _rows(overlay[name] or b"", name, lifecycle)
    objections = objections_between(before, after, lambda row: _is_committed(context, row))
    return objections + _taken_ids(context, before, after)


def _is_committed(context: EventContext, row: Row) -> bool:
    """Return whether HEAD has the row, whatever its line says there."""
    own = [found for found in context.index.rows_with_id(row.id) if not found.row.store]
    return any(context.is_committed(context.match(found)) for found in own)


def _rows(data: bytes, name: str, lifecycle: str) -> list[Row]:
    from gatilho.document.rows import read_rows

    return read_rows(data, name, lifecycle)[0]


def _taken_ids(context: EventContext, before: list[Row], after: list[Row]) -> list[str]:
    """Return an objection for each new row whose id another row has: neither could be written after that."""
    known = [row.id for row in before]
    found = []
    for row in after:
        if row.id in known:
            known.remove(row.id)
        elif any(not taken.row.store for taken in context.index.rows_with_id(row.id)):
            found.append(f"{row.id} is already the id of another row: give the new row a different id.")
    return found


def objections_between(
    old: list[Row], new: list[Row], is_committed: "Callable[[Row], bool]" = lambda row: True
) -> list[str]:
    """Return what is between two versions of a table that only the owner may decide, a line for each row.

    Adding rows, rewording them and moving them within the table is free; so are the trigger and the conditions of a
    debt that no one reviewed yet. is_committed: whether HEAD has the row.
    """
    found = []
    for row, now in paired(old, new):
        if now is None:
            found.append(f"This edit would remove {row.id} ({row.place}). {_ASK}")
        elif text := _objection(row, now, is_committed):
            found.append(text)
    return found


def _objection(row: Row, now: Row, is_committed: "Callable[[Row], bool]") -> str:
    """Return the objection to the gravest change of a row, "" where all of them are free."""
    for what in owners_changes(row, now):
        # A debt may be rewired until somebody reviewed it, and a rule that becomes a debt asks more than before.
        if (what in ("trigger", "condition") and not is_committed(row)) or (what == "lifecycle" and now.is_debt):
            continue
        instead = "Only a person may strike an id; make its condition true instead, or ask the owner."
        return f"This edit would {_in_words(what, row, now)} ({row.place}). {instead if what == 'strike' else _ASK}"
    return ""


def _in_words(what: str, row: Row, now: Row) -> str:
    """Return what an edit would do to a row, where `what` is one of its `owners_changes`."""
    rides = "to no number" if now.rides is None else f"from {row.rides} to {now.rides}"
    return {
        "strike": f"{'strike' if now.struck else 'take the strike off'} {row.id}",
        "state": f"change the state of {row.id} from `{row.state_text}` to `{now.state_text}`",
        "rides": f"lower the rides of {row.id} {rides}",
        "lifecycle": f"make {row.id} a rule instead of a debt",
        "times": f"change when {row.id} is asked about",
    }.get(what, f"change the {what} of {row.id}, which is owed")
