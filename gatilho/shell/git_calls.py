"""Calls of git and of programs that apply patches: the files that they write, and the commands that they run."""

from gatilho.shell import arguments, listings, quotes
from gatilho.shell.arguments import Argument, Copied
from gatilho.shell.git import commands_of_git, files_of_git
from gatilho.shell.program_options import Options, options_and_operands, values
from gatilho.shell.prose import GIT_OPTIONS
from gatilho.shell.shell_state import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gatilho.shell.flow import Reader

# What `cat` of a file that is not known prints.
_FROM_A_FILE = arguments.TRACKED + arguments.NAMED_IN
# How settings of git end that hold commands.
_RUN_BY_GIT = (
    "editor", "pager", "sshcommand", ".external", ".cmd", "fsmonitor", ".clean", ".smudge", ".textconv", "askpass",
)  # fmt: skip


def _git(reader: "Reader", call: Call) -> None:
    before = reader.state
    held = {**before.variables, **call.assigned}
    for name in [name for name in held if name.startswith("GIT_CONFIG_KEY_")]:
        key, value = (held.get(one) or ("",) for one in (name, name.replace("_KEY_", "_VALUE_")))
        _git_setting(reader, quotes.unescape(key[0]), quotes.unescape(value[0]))
    words = _behind_global_options(reader, call.arguments[1:])
    alias = f"git {words[0].approximate}" if words else ""
    if alias in reader.functions:
        reader.run(Call([Argument(alias), *words[1:]], call.fed, call.fed_file, call.assigned))
    else:
        _git_command(reader, words, call)
    reader.state = before


def _behind_global_options(reader: "Reader", words: list[Argument]) -> list[Argument]:
    """Return the subcommand of git and what comes after it; the folder and the settings in front of it are noted."""
    at = 0
    while at < len(words) and words[at].approximate.startswith("-"):
        option = words[at].approximate
        for value in words[at + 1 : at + 2]:
            if option == "-C":
                reader.state = reader.state.entered(reader.state.folder(value))
            elif option == "-c":
                _git_setting(reader, *value.approximate.partition("=")[::2])
        at += 2 if option in GIT_OPTIONS else 1
    return words[at:]


def _git_command(reader: "Reader", words: list[Argument], call: Call) -> None:
    for command in commands_of_git(words):
        reader.nested(command, reader.state.inherited(call.assigned))
    subcommand = words[0].approximate if words else ""
    if subcommand == "config":
        named = [one.approximate for one in words[1:] if one.approximate[:2] != "--"]
        if len(named) > 1:
            _git_setting(reader, *named[-2:])
    found = files_of_git(words)
    matched = _matched_by_git(reader, found)
    for kind, argument in found:
        if isinstance(argument, Copied):
            reader.note_copy(argument)
        elif argument not in matched:
            reader.touch(kind, argument)
    if subcommand in ("apply", "am"):
        _git_apply(reader, call, words[1:])
    reader.output, reader.output_places = listings.printed_by_git(words), ()


def _git_setting(reader: "Reader", key: str, value: str) -> None:
    """Read a setting that makes git run a command: an alias is a function of git's."""
    key = key.lower()
    if key.startswith("alias.") and value:
        body = (value[1:] if value[0] == "!" else "git " + value) + ' "$@"'
        reader.define(body, "git " + key.removeprefix("alias."), 0, len(body))
    elif key.endswith(_RUN_BY_GIT):
        reader.nested(value, reader.state.inherited({}))


def _matched_by_git(reader: "Reader", found: "list[tuple[str, Argument]]") -> list[Argument]:
    """Note the pathspecs that git itself matches against its files, and return them."""
    of_kind: dict[str, list[Argument]] = {}
    for kind, one in found:
        if kind in ("changed", "untracked") or kind.startswith(arguments.BETWEEN):
            of_kind.setdefault(kind, []).append(one)
    written = [argument for kind, argument in found if kind in ("tracked", "tree") and argument.text]
    # Quoted wildcards and `:(…)` reach git, which matches them against its tracked files.
    if not any(not one.glob and (one.approximate[:1] == ":" or set("*?[") & set(one.approximate)) for one in written):
        written = []
    if reader.local and reader.state.cwd is not None:
        for kind, specs in of_kind.items():
            reader.pathspecs.update({(reader.state.cwd, (one.text,), kind): None for one in specs if one.text})
        if written:
            reader.pathspecs[reader.state.cwd, tuple(one.approximate for one in written), "tracked"] = None
    return [*(one for specs in of_kind.values() for one in specs), *written]


def _git_apply(reader: "Reader", call: Call, rest: list[Argument]) -> None:
    found, operands = options_and_operands(rest, "pC", "directory exclude include whitespace")
    if {name for name, _ in found} & {"check", "stat", "numstat", "summary", "cached"}:
        return
    files = [file for file in operands if file.approximate != "-"]
    _patched(reader, call, files, _stripped(found, 1), values(found, "directory"))


def _apply_patch(reader: "Reader", call: Call) -> None:
    from gatilho.patch_text import envelope_paths

    text = "\n".join([call.fed or "", *(argument.approximate or argument.raw for argument in call.arguments[1:])])
    raw = "\n".join(argument.raw for argument in call.arguments[1:])
    for path in envelope_paths(text) or envelope_paths(raw):
        joined = reader.state.join(path)
        if joined is not None and reader.local:
            reader.patches[joined] = None


def _patch(reader: "Reader", call: Call) -> None:
    found, operands = options_and_operands(
        call.arguments[1:], "pidoFBDrYzV", "strip input directory output fuzz prefix suffix reject-file"
    )
    before = reader.state
    for folder in values(found, "d", "directory"):
        reader.state = reader.state.entered(reader.state.folder(folder))
    for written in values(found, "o", "output") + operands[:1]:
        reader.touch("write", written)
    files = values(found, "i", "input") + operands[1:2]
    # A file that is named is the one that is written, whatever names the patch has.
    if operands:
        for file in files:
            reader.touch("read", file)
    elif all(name != "dry-run" for name, _ in found):
        _patched(reader, call, files, _stripped(found, -1))
    reader.state = before


def _patched(
    reader: "Reader", call: Call, files: list[Argument], strip: int, folders: "Sequence[Argument]" = ()
) -> None:
    """Note what a patch writes: its targets where its text is here, else the files that hold them.

    folders: where its paths begin, if not in the folder that its files are named from.
    """
    fed = call.fed or ""
    if not files and call.fed_file is not None:
        files = [call.fed_file]
    if not files and fed.startswith(_FROM_A_FILE):
        files = [Argument(fed.removeprefix(_FROM_A_FILE))]
    for file in files:
        reader.touch("read", file)
    named = [(reader.state.path_of(file), reader.content_of(file)) for file in files]
    before = reader.state
    for folder in folders:
        reader.state = reader.state.entered(reader.state.folder(folder))
    if not files and fed.startswith(listings.PATCH):
        # Of what git's own diff says.
        if reader.local and reader.state.cwd is not None:
            kind = fed[len(listings.PATCH) :].replace("?", " ")
            reader.pathspecs[reader.state.cwd, (":/",), kind] = None
    elif not files and fed:
        _write_targets(reader, fed, strip)
    for joined, held in named:
        if held is not None:
            _write_targets(reader, held[0], strip)
        elif joined is not None and reader.state.cwd is not None and reader.local:
            reader.patch_files[joined, reader.state.cwd, strip] = None
    reader.state = before


def _write_targets(reader: "Reader", text: str, strip: int) -> None:
    from gatilho.patch_text import diff_paths

    for path in diff_paths(text, strip):
        reader.touch("write", Argument(path))


def _stripped(options: Options, otherwise: int) -> int:
    """Return how many parts a call takes off the paths of a patch."""
    given = values(options, "p", "strip")
    text = given[-1].approximate if given else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else otherwise


PATCHERS = {"git": _git, "patch": _patch, "apply_patch": _apply_patch, "applypatch": _apply_patch}
