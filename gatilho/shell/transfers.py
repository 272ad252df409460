"""Programs that put files somewhere else, or away: copies, moves, links, downloads, archives."""

from gatilho.shell.arguments import Argument, Copied, marked_text
from gatilho.shell.program_options import Found, options_and_operands, reads, values

_DEEP = frozenset(("r", "R", "a", "recursive", "archive"))


def _is_remote(argument: Argument) -> bool:
    # `./a:b` is a file here, and one letter before the colon is a drive of Windows.
    host, colon, _ = argument.approximate.partition(":")
    return bool(colon) and "/" not in host and len(host) != 1


def _last(argument: Argument) -> str:
    return argument.approximate.rstrip("/").rpartition("/")[2]


def _below(folder: Argument, source: Argument) -> Argument:
    glob = folder.glob or source.glob
    parts = [marked_text(argument) if glob else argument.approximate for argument in (folder, source)]
    return Argument(parts[0].rstrip("/") + "/" + parts[1].rstrip("/").rpartition("/")[2], glob)


def _transfer(arguments: list[Argument], short: str, long: str, source_kind: str, remote: bool = False) -> Found:
    """Read the call of a program used as SOURCE… TARGET, with TARGET in front as `-t TARGET`.

    What copies a folder, or the contents of one, writes below the target what may be there.
    """
    options, operands = options_and_operands(arguments, short, long)
    targets = values(options, "t", "target-directory")
    if any(name == "d" for name, _ in options) and "m" in short:  # install -d makes folders
        return [("write", operand) for operand in operands]
    sources = operands if targets else operands[:-1]
    target = targets[0] if targets else operands[-1] if operands else None
    found: Found = [(source_kind, source) for source in sources if not (remote and _is_remote(source))]
    if target is None or (remote and _is_remote(target)):
        return found
    given = {name for name, _ in options}
    deep = bool(given & _DEEP) and "m" not in short
    # Only `-t`, several sources or a slash at its end say that the target is a folder; else the disk has to.
    certain = bool(targets) or len(sources) > 1 or target.approximate.endswith("/")
    contents = [source for source in sources if _names_contents(source, remote)]
    found.append(("tracked" if contents else "write", target))
    for source in sources:
        if source not in contents:
            name = Argument(source.approximate.rpartition(":")[2], source.glob) if remote else source
            found.append(("tracked" if deep and certain else "write" if certain else "into", _below(target, name)))
        if deep or source_kind == "tree" or source.glob:
            found.append(("copied", Copied(source, target, source in contents)))
    return found


def _names_contents(source: Argument, remote: bool) -> bool:
    """Return whether what is in a folder is copied, and not the folder: `x/.`, and `x/` for rsync."""
    return _last(source) in ("", ".", "..") or (remote and source.approximate.endswith("/"))


def _copy(arguments: list[Argument]) -> Found:
    return _transfer(arguments, "tS", "target-directory suffix", "read")


def move(arguments: list[Argument]) -> Found:
    return _transfer(arguments, "tS", "target-directory suffix", "tree")


def _install(arguments: list[Argument]) -> Found:
    return _transfer(arguments, "tSmog", "target-directory suffix mode owner group", "read")


def _rsync(arguments: list[Argument]) -> Found:
    long = "rsh exclude include exclude-from include-from filter files-from bwlimit log-file chmod partial-dir max-size"
    if {"n", "dry-run"}.intersection(name for name, _ in options_and_operands(arguments, "efBT", long)[0]):
        return reads(arguments)
    return _transfer(arguments, "efBT", long, "read", remote=True)


def _scp(arguments: list[Argument]) -> Found:
    return _transfer(arguments, "cDFiJloPSX", "", "read", remote=True)


def _link(arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(arguments, "tS", "target-directory suffix")
    if len(operands) == 2 and {name for name, _ in options} & {"n", "T", "no-dereference", "no-target-directory"}:
        return [("read", operands[0]), ("write", operands[1])]
    if len(operands) == 1:
        return [("read", operands[0]), ("write", Argument(_last(operands[0]), operands[0].glob))]
    return _transfer(arguments, "tS", "target-directory suffix", "read")


def _remove(arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(arguments, "")
    deep = any(name in ("r", "R", "recursive") for name, _ in options)
    return [("tree" if deep else "write", operand) for operand in operands]


def _dd(arguments: list[Argument]) -> Found:
    found: Found = []
    for argument in arguments:
        name, _, value = argument.approximate.partition("=")
        if name in ("if", "of"):
            found.append(("write" if name == "of" else "read", Argument(value, argument.glob)))
    return found


def _curl(arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(
        arguments,
        "oHXduAebcTFmwKxrUEDC",
        "output output-dir header request data user user-agent referer cookie max-time form proxy",
    )
    folders = values(options, "output-dir")
    found: Found = [("write", _in_folder(folders, value)) for value in values(options, "o", "output")]
    found += [("write", value) for value in values(options, "D", "dump-header", "c", "cookie-jar")]
    found += [("read", value) for value in values(options, "T", "upload-file", "K", "config")]
    data = values(options, "d", "data", "data-binary", "F", "form")
    found += [("read", Argument(value.approximate.partition("@")[2])) for value in data if "@" in value.approximate]
    if any(name in ("O", "remote-name") for name, _ in options):
        found += [("write", _in_folder(folders, Argument(_last(operand)))) for operand in operands]
    return found


def _in_folder(folders: list[Argument], source: Argument) -> Argument:
    """Return where a file comes to lie that is fetched into the last of those folders, if there is one."""
    return _below(folders[-1], source) if folders else source


def _aria(arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(arguments, "dois", "dir out input-file split")
    outputs = values(options, "o", "out") or [Argument(_last(operand)) for operand in operands]
    return [("write", _in_folder(values(options, "d", "dir"), one)) for one in outputs]


def _wget(arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(
        arguments, "OoPUtTi", "output-document output-file directory-prefix header"
    )
    outputs = values(options, "O", "output-document")
    found: Found = [("write", value) for value in outputs + values(options, "o", "output-file")]
    if not outputs:
        folders = values(options, "P", "directory-prefix")
        found += [("write", _in_folder(folders, Argument(_last(operand)))) for operand in operands]
    return found + [("read", value) for value in values(options, "i")]


def _tar(arguments: list[Argument]) -> Found:
    """Read a call of tar: what it unpacks lies below the folder of `-C`, and nowhere that can be known without."""
    arguments = [argument for argument in arguments if argument.approximate]
    if arguments and arguments[0].approximate[:1] != "-":  # the letters of old, without a dash
        arguments = [Argument("-" + arguments[0].approximate), *arguments[1:]]
    options, operands = options_and_operands(arguments, "fCTXb", "file directory files-from exclude strip-components")
    given = {name for name, _ in options}
    archives = values(options, "f", "file")
    if not given & {"x", "extract", "get"}:
        packs = given & {"c", "create", "r", "append", "u", "update"}
        return [("write" if packs else "read", archive) for archive in archives] + reads(operands)
    folders = values(options, "C", "directory")
    return [("read", archive) for archive in archives] + [("tracked", folder) for folder in folders]


def _unzip(arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(arguments, "dxP")
    folders = values(options, "d")
    if not folders and (
        target := [one for one in arguments if one.approximate.startswith("-d") and len(one.approximate) > 2]
    ):
        folders = [Argument(target[0].approximate[2:])]
    return [("read", operand) for operand in operands[:1]] + [("tracked", folder) for folder in folders]


def _zip(arguments: list[Argument]) -> Found:
    operands = options_and_operands(arguments, "bntPxi", "")[1]
    return [("write", one) for one in operands[:1]] + reads(operands[1:])


# Words of programs that copy to and from other machines, and the options of them that take a value.
_COPYING = frozenset(("cp", "copy", "copyto", "mv", "move", "moveto", "pull", "rsync", "scp", "sync"))
_COPYING_OPTIONS = "profile region exclude include zone project namespace container context filter"
_CLOUDS = ("aws", "gcloud", "gsutil")
_CONTAINERS = ("docker", "podman", "nerdctl", "kubectl", "oc", "rclone", "lxc", "incus", "adb")


def _copied_between(arguments: list[Argument]) -> Found:
    """Read `docker cp`, `aws s3 cp` and their like: of two places, one is on another machine."""
    at = next((at for at, one in enumerate(arguments[:6]) if one.approximate in _COPYING), len(arguments))
    if at == len(arguments):
        return []
    verb = arguments[at].approximate
    operands = options_and_operands(arguments[at + 1 :], "nc", _COPYING_OPTIONS)[1]
    if verb == "pull":  # its sources have no mark of the other machine
        return [("write", one) for one in operands[1:]]
    found = _transfer(operands, "", "", "read", remote=True)
    return [("tracked" if kind == "write" and verb in ("sync", "copy") else kind, one) for kind, one in found]


def _copied_or_read(arguments: list[Argument]) -> Found:
    return _copied_between(arguments) or reads(arguments)


TRANSFERS = {
    **dict.fromkeys(_CLOUDS, _copied_between),
    **dict.fromkeys(_CONTAINERS, _copied_or_read),
    "cp": _copy,
    "mv": move,
    "install": _install,
    "rsync": _rsync,
    "scp": _scp,
    "ln": _link,
    **dict.fromkeys(("rm", "rmdir"), _remove),
    "dd": _dd,
    "aria2c": _aria,
    "curl": _curl,
    "wget": _wget,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    "unzip": _unzip,
    "zip": _zip,
}
