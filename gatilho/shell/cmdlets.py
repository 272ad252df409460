"""Cmdlets of PowerShell that read and write files, by their names and aliases: what each of their operands is."""

from gatilho.shell.arguments import Argument, marked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.flow import Reader

# The usual parameters, all of which name files of one kind.
_READ, _WRITE, _TREE = ({"path": kind, "literalpath": kind} for kind in ("read", "write", "tree"))
_FILE = {"filepath": "write", "literalpath": "write"}
# What operands are in their order, and what parameters are. "into": the folder
# or file that something is put at; "folder": where "name" is made; "name" else: a new name beside the path.
_CMDLETS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "get-content": (("read",), _READ),
    "get-item": (("read",), _READ),
    "get-childitem": (("read", "filter"), {**_READ, "filter": "filter", "include": "filter"}),
    "get-filehash": (("read",), _READ),
    "import-csv": (("read",), _READ),
    "select-string": (("", "read"), _READ),
    "set-content": (("write", ""), _WRITE),
    "add-content": (("write", ""), _WRITE),
    "clear-content": (("write",), _WRITE),
    "set-item": (("write", ""), _WRITE),
    "out-file": (("write",), _FILE),
    "tee-object": (("write",), _FILE),
    "export-csv": (("write",), _WRITE),
    "export-clixml": (("write",), _WRITE),
    "new-item": (("folder",), {"path": "folder", "name": "name"}),
    "remove-item": (("tree",), _TREE),
    "move-item": (("tree", "into"), {**_TREE, "destination": "into"}),
    "copy-item": (("read", "into"), {**_READ, "destination": "into"}),
    "rename-item": (("tree", "name"), {**_TREE, "newname": "name"}),
    "expand-archive": (("read", "tracked"), {**_READ, "destinationpath": "tracked"}),
    "compress-archive": (("read", "write"), {**_READ, "destinationpath": "write"}),
    "invoke-webrequest": ((), {"outfile": "write"}),
    "invoke-restmethod": ((), {"outfile": "write"}),
}
_ALIASES = {
    "gc": "get-content", "cat": "get-content", "type": "get-content", "gi": "get-item", "gci": "get-childitem",
    "ls": "get-childitem", "dir": "get-childitem", "ipcsv": "import-csv", "sls": "select-string", "sc": "set-content",
    "ac": "add-content", "clc": "clear-content", "si": "set-item", "tee": "tee-object", "epcsv": "export-csv",
    "ni": "new-item", "md": "new-item", "mkdir": "new-item", "ri": "remove-item", "rm": "remove-item",
    "rmdir": "remove-item", "rd": "remove-item", "del": "remove-item", "erase": "remove-item", "mi": "move-item",
    "mv": "move-item", "move": "move-item", "ci": "copy-item", "cpi": "copy-item", "cp": "copy-item",
    "copy": "copy-item", "rni": "rename-item", "ren": "rename-item", "iwr": "invoke-webrequest",
    "irm": "invoke-restmethod", "curl": "invoke-webrequest", "wget": "invoke-webrequest",
}  # fmt: skip
# Aliases that are programs of their own on other systems than Windows.
_UNIX = frozenset(("cat", "cp", "curl", "ls", "mkdir", "mv", "rm", "rmdir", "tee", "wget"))
# Parameters of these cmdlets without a value; all others take one.
_SWITCHES = frozenset(
    """
    append asbytestream casesensitive confirm container debug force noclobber nonewline notypeinformation passthru
    quiet raw recurse simplematch usebasicparsing usetransaction verbose wait whatif directory file hidden
    """.split()  # noqa: SIM905
)


def cmdlet_named(name: str) -> str:
    """Return the cmdlet that a name or an alias calls, or the name."""
    return _ALIASES.get(name, name)


def is_cmdlet(name: str, arguments: list[Argument]) -> bool:
    """Return whether a command is a cmdlet known here; an alias with letters that no cmdlet has (`rm -rf`) is not."""
    if name not in _UNIX:
        return cmdlet_named(name) in _CMDLETS
    known = (*_SWITCHES, *(parameter for _, named in _CMDLETS.values() for parameter in named), "value", "encoding")
    options = (one.approximate[1:].lower() for one in arguments if one.approximate[:1] == "-")
    flags = [option for option in options if option.isalpha() and len(option) < 4]
    return all(any(parameter.startswith(flag) for parameter in known) for flag in flags)


def run_cmdlet(reader: "Reader", name: str, arguments: "list[Argument | None]") -> None:
    """Note the paths that a cmdlet's parameters and operands name; None is between the values of a list."""
    operands, parameters = _CMDLETS[cmdlet_named(name)]
    given = [one for one in arguments if one is not None]
    if any(one.approximate.lower() == "-whatif" for one in given):
        return  # it only says what it would do
    found = _kinds(arguments, [*operands], parameters)
    named = [(kind, pathlike(argument)) for kind, argument in found if kind not in ("", "value", "filter")]
    sources = [argument for kind, argument in named if kind in ("read", "tree", "write")]
    kinds = set(parameters.values())
    if kinds and kinds <= {"read", "filter"}:
        filters = [argument.approximate for kind, argument in found if kind == "filter"]
        deep = any(one.approximate.lower().startswith("-r") for one in given)
        reader.piped_files = _filtered(sources, filters, deep) if filters else sources or [Argument(".")]
    elif not sources and "filepath" not in parameters:  # it takes the files that the pipe brings
        kind = "tree" if "read" not in kinds else "read" if "destination" in parameters else ""
        named += [(kind, one) for one in reader.piped_files if kind]
    _touch_all(reader, named)


def _kinds(
    arguments: "list[Argument | None]", operands: list[str], parameters: dict[str, str]
) -> list[tuple[str, Argument]]:
    """Return the arguments of a cmdlet that are no parameters, each with its kind."""
    found: list[tuple[str, Argument]] = []
    kind, next_kind = "", ""
    for at, argument in enumerate(arguments):
        if argument is None:
            continue
        text = argument.approximate
        parameter, colon, _ = text[1:].lower().partition(":")
        if at and arguments[at - 1] is None:
            found.append((kind, argument))
        elif text.startswith("-") and parameter[:1].isalpha():
            known = next((name for name in parameters if name.startswith(parameter)), "")
            switch = not known and any(name.startswith(parameter) for name in _SWITCHES)
            kind = next_kind = parameters.get(known, "" if switch else "value")
            if kind in operands:
                operands.remove(kind)
            if colon:
                found.append((kind, Argument(text[len(parameter) + 2 :], argument.glob)))
                next_kind = ""
        else:
            kind = next_kind or (operands.pop(0) if operands else "value")
            found.append((kind, argument))
            next_kind = ""
    return found


def _filtered(sources: list[Argument], filters: list[str], deep: bool) -> list[Argument]:
    """Return the patterns of the names that a list of folders has after its filters."""
    folders = [marked_text(one) for one in sources]
    begins = [f"{folder.removesuffix('/*')}/" for folder in folders] or [""]
    return [Argument(f"{begin}{'**/' if deep else ''}{name}", True) for begin in begins for name in filters]


def _touch_all(reader: "Reader", found: list[tuple[str, Argument]]) -> None:
    names = [argument for kind, argument in found if kind == "name"]
    sources = [argument for kind, argument in found if kind in ("read", "tree")]
    for kind, argument in found:
        if kind == "into":
            reader.touch("write", argument)
            for source in sources:
                reader.touch(
                    "into", Argument(f"{argument.approximate}/{source.approximate.rpartition('/')[2]}", source.glob)
                )
        elif kind == "folder":  # `New-Item -Path folder -Name file` makes the file in it
            for path in [Argument(f"{argument.approximate}/{name.approximate}") for name in names] or [argument]:
                reader.touch("write", path)
        elif kind == "name" and sources:
            folder = sources[0].approximate.rpartition("/")[0]
            reader.touch("write", Argument(f"{folder}/{argument.approximate}" if folder else argument.approximate))
        elif kind != "name":
            reader.touch(kind, argument)


def pathlike(argument: Argument) -> Argument:
    """Return the argument with `/` between the parts of a path, as all paths have it inside the program."""
    return Argument(argument.approximate.replace("\\", "/"), argument.glob, argument.raw, argument.span)
