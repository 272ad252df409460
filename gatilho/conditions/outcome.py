"""What a write that has not happened yet will leave, as far as the tool call shows it."""

from gatilho.conditions import envelope
from gatilho.conditions.tree import DANGLING, LARGEST, MISSING, Tree, TreeEntry, Unreadable
from gatilho.hosts import PATH_KEYS
from gatilho.hosts.tools import patch_in
from gatilho.patch_text import BEGIN
from gatilho.triggers import paths

_WHOLE = frozenset(("write", "write_file", "writefile", "create", "create_file", "create_text_file"))
_EDITS = frozenset(
    ("edit", "multiedit", "multi_edit", "edit_file", "editor", "replace", "str_replace", "str_replace_editor",
     "str_replace_based_edit_tool", "replace_string_in_file", "multi_replace_string_in_file", "pre_write_code",
     "fs_write")
)  # fmt: skip
_DELETES = frozenset(("delete", "delete_file"))
_SHELLS = frozenset(("bash", "shell", "powershell", "run_shell_command", "exec_command"))
_CONTENT_KEYS = ("content", "file_text", "contents")
_OLD_KEYS = ("old_string", "old_str", "oldString", "old_text", "oldText")
_NEW_KEYS = ("new_string", "new_str", "newString", "new_text", "newText")
_ALL_KEYS = ("replace_all", "replaceAll", "allow_multiple")
_LIST_KEYS = ("edits", "replacements")
_MOST_EDITS = 1000

Overlay = dict[str, bytes | None]


class UnknownOutcome(Exception):
    """The call does not show what it will leave, or its tool would refuse it."""


def overlay_of(tool: str, tool_input: object, cwd: str, root: str) -> Overlay | None:
    """Return the files at `root` that a tool call will have changed: real relative path -> its bytes, None if removed.

    Knows a whole file, exact edits and `apply_patch`, by the names that the hosts give them; relative paths are taken
    from `cwd`. None where the call does not show its outcome, or where the tool would refuse it. Files of other
    repositories and of .git are left out, so the result may be empty; tables of the store are among it.
    """
    plan = OutcomePlan(cwd, root)
    try:
        _follow(plan, tool.rsplit("__", 1)[-1].lower(), tool_input)
    except (UnknownOutcome, Unreadable, ValueError):  # ValueError: a name that no file system can hold
        return None
    return plan.overlay


def _follow(plan: "OutcomePlan", tool: str, tool_input: object) -> None:
    patch = _patch_in(tool, tool_input)
    if patch:
        _apply_patch(plan, patch)
    elif not isinstance(tool_input, dict):
        raise UnknownOutcome
    elif tool in _DELETES:
        plan.remove(_text(tool_input, PATH_KEYS))
    elif tool_input.get("append") or tool_input.get("mode") == "append":
        raise UnknownOutcome
    elif tool in _WHOLE or (tool in _EDITS and _shows(tool_input, ("file_text",))):
        plan.write(_text(tool_input, PATH_KEYS), _bytes(_text(tool_input, _CONTENT_KEYS)))
    elif tool in _EDITS:
        _edit(plan, tool_input)
    else:
        raise UnknownOutcome


class OutcomePlan:
    """Collects the outcome file by file; later changes of one call see the earlier ones."""

    def __init__(self, cwd: str, root: str) -> None:
        self.cwd = cwd
        self.overlay: Overlay = {}
        # The guard asks what an edit leaves in a table, so the store is seen here.
        self.tree = Tree(root, self.overlay, with_store=True)

    def sees(self, path: str) -> bool:
        """Return whether the path is in the repository."""
        return self._spot(path) is not None

    def content(self, path: str) -> bytes | None:
        """Return the bytes of a file as the call will find them, None where there is none."""
        spot = self._spot(path)
        return None if spot is None or spot.is_gone else self.tree.read(spot)

    def write(self, path: str, data: bytes) -> None:
        """Leave these bytes at a path, after all links are followed."""
        spot = self._spot(path)
        if spot is not None and spot.is_directory:
            raise UnknownOutcome
        if spot is not None:
            self.overlay[spot.real] = data

    def remove(self, path: str) -> None:
        """Take a file away; of a link, the link itself."""
        name = self._relative(path)
        if name is None:
            return
        directory, _, last = name.rpartition("/")
        parent = self.tree.locate(directory) if directory else TreeEntry("", 0)
        real = parent.child(last)
        if self.tree.locate(real).fault == MISSING:
            raise UnknownOutcome
        if not parent.fault:
            self.overlay[real] = None

    def _spot(self, path: str) -> TreeEntry | None:
        """Return where a write to the path goes; None for one outside the repository, or in .git."""
        name = self._relative(path)
        spot = self.tree.locate(name) if name else None
        return spot if spot is not None and spot.fault in ("", MISSING, DANGLING) else None

    def _relative(self, path: str) -> str | None:
        absolute = paths.absolute(path, self.cwd)
        if absolute is None:
            raise UnknownOutcome
        root = self.tree.root
        if absolute.startswith(root + "/"):
            return absolute[len(root) + 1 :]
        from os.path import realpath  # the working directory may be reached through a link

        directory, _, name = absolute.rpartition("/")
        absolute, root = f"{realpath(directory)}/{name}", realpath(root)
        return absolute[len(root) + 1 :] if absolute.startswith(root + "/") else None


def _patch_in(tool: str, tool_input: object) -> str:
    """Return the envelope that a call hands over, "" for none."""
    given = patch_in(tool_input)
    text = _here_document(given) if tool in _SHELLS else given
    return text if text.strip().startswith(BEGIN) else ""


def _here_document(command: str) -> str:
    """Return the body of a command that is only `apply_patch <<'WORD'` and its here-document, "" for any other."""
    first, _, rest = command.strip().partition("\n")
    program, _, word = first.partition("<<")
    body, _, last = rest.rpartition("\n")
    word = word.strip()
    # Without quotes around its word a shell expands a here-document, and the text does not show to what.
    expanded = word[:1] not in ("'", '"') and any(character in body for character in "$`\\")
    if program.strip() != "apply_patch" or word.strip("'\"") != last or expanded:
        return ""
    return body


def _apply_patch(plan: OutcomePlan, text: str) -> None:
    changes = envelope.read_patch(text)
    if changes is None:
        raise UnknownOutcome
    for change in changes:
        if change.kind == "add":
            plan.write(change.path, _bytes(change.content))
        elif change.kind == "delete":
            plan.remove(change.path)
        else:
            _update(plan, change)


def _update(plan: OutcomePlan, change: envelope.FilePatch) -> None:
    if not plan.sees(change.path):
        return
    data = plan.content(change.path)
    left = envelope.apply_hunks(data, change.hunks) if data is not None else None
    if left is None:
        raise UnknownOutcome
    if change.move:
        plan.remove(change.path)
    plan.write(change.move or change.path, left)


def _edit(plan: OutcomePlan, call: "dict[str, object]") -> None:
    listed = next((call[key] for key in _LIST_KEYS if isinstance(call.get(key), list)), None)
    edits = listed if isinstance(listed, list) else [call]
    if not edits or len(edits) > _MOST_EDITS:
        raise UnknownOutcome
    for edit in edits:
        if not isinstance(edit, dict):
            raise UnknownOutcome
        path = _text(edit if _shows(edit, PATH_KEYS) else call, PATH_KEYS)
        old, new = _bytes(_text(edit, _OLD_KEYS)), _bytes(_text(edit, _NEW_KEYS))
        everywhere = any(edit.get(key) is True for key in _ALL_KEYS)
        if plan.sees(path):
            plan.write(path, _replaced(plan.content(path), old, new, everywhere))


def _replaced(data: bytes | None, old: bytes, new: bytes, everywhere: bool) -> bytes:
    """Return the content after one edit; raises UnknownOutcome where the old text is absent or not alone."""
    if not old:
        if data:
            raise UnknownOutcome
        return new  # how a new file is made
    if data is None or old == new:
        raise UnknownOutcome
    if old not in data and b"\r\n" in data:
        # hosts show CRLF files with plain line endings, and put the file's own back
        plain = data.replace(b"\r\n", b"\n")
        left = _replaced(plain, old.replace(b"\r\n", b"\n"), new.replace(b"\r\n", b"\n"), everywhere)
        return left.replace(b"\n", b"\r\n")
    count = data.count(old)
    if count == 0 or (count > 1 and not everywhere) or len(data) + count * len(new) > 2 * LARGEST:
        raise UnknownOutcome
    return data.replace(old, new)


def _shows(call: "dict[str, object]", keys: tuple[str, ...]) -> bool:
    return any(isinstance(call.get(key), str) for key in keys)


def _text(call: "dict[str, object]", keys: tuple[str, ...]) -> str:
    for key in keys:
        value = call.get(key)
        if isinstance(value, str):
            return value
    raise UnknownOutcome


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
