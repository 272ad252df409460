"""The files by which hosts are registered with: what each becomes, in whatever form its host reads."""

import os
from codecs import BOM_UTF8

from gatilho.errors import GatilhoError
from gatilho.hosts import COMMENTS, LAST_COMMA, LISTED, MODULE, ORDER_MARK, SCRIPTS, Host
from gatilho.setup import file_changes, hook_list, jsontext, module, registration, toml_hooks
from gatilho.setup.file_changes import FileChange

# After the last character of a file that was there and empty, before its own blanks: it is left empty, not removed.
_WAS_EMPTY = " "
_WHICH = {COMMENTS: "the comments", LAST_COMMA: "that comma", ORDER_MARK: "that mark"}


def plan_registration(root: str, host: Host, name: str, command: str) -> list[FileChange]:
    """Return what the files of a host become with our hooks. root: what the name is relative to."""
    return [_registered(root, host, one, command) for one in hook_files_of(root, host, name)]


def _registered(root: str, host: Host, name: str, command: str) -> FileChange:
    old = file_changes.read_planned_file(root, name)
    text = settings_text(old or b"", name)
    if host.settings.shape == SCRIPTS:
        new = module.script_text(text, name, host, command)
    elif host.settings.shape == MODULE:
        new = module.module_text(text, name, host, command)
    elif host.settings.shape == LISTED:
        new = hook_list.register_in_list(text, name, host, command)
    elif name.endswith(".toml"):
        new = toml_hooks.append_block(text, name, host, command)
    else:
        new = registration.register_hooks(text, name, host, command)
    if old is not None and (not text.strip() or _was_empty(text)):
        new = new.rstrip() + (_blanks_of(text) if text.strip() else _WAS_EMPTY + text)
    return FileChange(name, old, settings_bytes(new, old), host.settings.shape == SCRIPTS)


def plan_removal(root: str, host: Host, name: str) -> list[FileChange]:
    """Return what the files of a host become without our hooks; no file at all where one held nothing else."""
    return [_unregistered(root, host, one) for one in hook_files_of(root, host, name)]


def _unregistered(root: str, host: Host, name: str) -> FileChange:
    old = file_changes.read_planned_file(root, name)
    text = settings_text(old or b"", name)
    if old is None or not calls_us(text, name, host):
        return FileChange(name, old, old)
    left = _without_ours(text, host, name)
    if not left and _was_empty(text):
        return FileChange(name, old, settings_bytes(_blanks_of(text).removeprefix(_WAS_EMPTY), old))
    return FileChange(name, old, settings_bytes(left, old) if left else None)


def _without_ours(text: str, host: Host, name: str) -> str:
    """Return the text of a file that calls us without what is ours, "" where nothing else is left."""
    if host.settings.shape == SCRIPTS:
        return "" if module.is_our_script(text) else text
    if host.settings.shape == MODULE:
        return "" if module.is_our_module(text) else text
    if host.settings.shape == LISTED:
        return hook_list.unregister_from_list(text, name)
    unregister = toml_hooks.remove_block if name.endswith(".toml") else registration.unregister_hooks
    return unregister(text, name)


def _was_empty(text: str) -> bool:
    """Return whether the file of a text was there before we wrote it, and empty."""
    return _blanks_of(text).startswith(_WAS_EMPTY)


def _blanks_of(text: str) -> str:
    """Return the blanks at the end of a text."""
    return text[len(text.rstrip()) :]


def registers(root: str, host: Host, name: str) -> bool:
    """Return whether a file of a host calls us."""
    found = {one: file_changes.read_planned_file(root, one) for one in hook_files_of(root, host, name)}
    return any(data and calls_us(settings_text(data, one), one, host) for one, data in found.items())


def what_is_unread(root: str, host: Host, name: str) -> list[tuple[str, str]]:
    """Return what in a host's file keeps the host from reading it, each with its line, and what to do."""
    name = name_in_use(root, name)
    data = file_changes.read_planned_file(root, name) if name.endswith(".json") else None
    if not data:
        return []
    text = settings_text(data, name)
    places = {
        COMMENTS: jsontext.first_comment(text),
        LAST_COMMA: jsontext.first_last_comma(text),
        ORDER_MARK: 0 if data.startswith(BOM_UTF8) else -1,
    }
    found = [(what, text.count("\n", 0, at) + 1) for what, at in places.items() if at >= 0]
    return [
        (f"{name}:{line}: {host.title} reads no file with {what}, so none of its hooks run", f"remove {_WHICH[what]}")
        for what, line in found
        if what in host.settings.unread
    ]


def calls_us(text: str, name: str, host: Host) -> bool:
    """Return whether the text of a host's file calls us."""
    if host.settings.shape == SCRIPTS:
        return module.script_calls_us(text)
    if host.settings.shape == MODULE:
        return module.module_calls_us(text)
    if host.settings.shape == LISTED:
        return bool(text.strip()) and bool(hook_list.hooks_in_list(text, name))
    return toml_hooks.has_block(text) if name.endswith(".toml") else registration.is_registered(text, name)


def settings_text(data: bytes, file: str) -> str:
    """Return the text of a settings file without its byte order mark; raises GatilhoError where it is not UTF-8."""
    try:
        return data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GatilhoError(f"{file}:{line}: this is not UTF-8; nothing was written. Save it as UTF-8.") from None


def settings_bytes(text: str, old: bytes | None) -> bytes:
    """Return the text as bytes, with the byte order mark that the file had."""
    return (BOM_UTF8 if (old or b"").startswith(BOM_UTF8) else b"") + text.encode("utf-8", "surrogatepass")


def hook_files_of(root: str, host: Host, name: str) -> list[str]:
    """Return the files that register with a host: the one of that name, or a script in that folder for each event."""
    name = name_in_use(root, name)
    return [name + event for event in host.limits] if host.settings.shape == SCRIPTS else [name]


def name_in_use(root: str, name: str) -> str:
    """Return the file that holds hooks there: Codex warns of hooks in both its files, so TOML that has some gets ours.

    A `hooks.json` that is there is used, whatever else there is. Cline's folder of rules may be one file of rules, and
    then its hooks are in the folder that its command line reads.
    """
    if name.startswith(".clinerules/") and os.path.isfile(f"{root}/.clinerules"):
        return ".cline/hooks/"
    other = name.removesuffix("hooks.json") + "config.toml"
    if not name.endswith(".codex/hooks.json") or file_changes.read_planned_file(root, name) is not None:
        return name
    data = file_changes.read_planned_file(root, other)
    return other if data and toml_hooks.has_hooks(settings_text(data, other), other) else name
