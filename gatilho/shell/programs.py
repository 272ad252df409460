"""Which arguments of a known program name files, and whether it reads or writes them.

Kinds: "read"; "write"; "tree", a write of a path and of all that is below it; "into", a write that happens only where
the folder of the path exists (`cp a dir` writes `dir/a`); "maybe", one only where the path exists (`git checkout a`);
"rewritten" and ends of names, one of the path and perhaps of the tracked files below it that end so.
"""

from gatilho.shell.arguments import Argument, Copied, literal_pattern
from gatilho.shell.program_options import Found, options_and_operands, reads, values

# Programs that take no file, or whose words only look like files (`echo src/a.py`).
_NO_FILES = frozenset(
    """
    echo printf true false : sleep kill pkill killall exit return set shift alias unalias type which whereis
    hash jobs fg bg wait trap umask ulimit let break continue yes seq expr basename dirname uname whoami id
    hostname uptime tput logger printenv getopts shopt clear history ping dig nslookup host gh glab aws gcloud
    az systemctl service apt apt-get brew dnf yum apk pip pip3 pipx rustup nvm pyenv crontab man help tldr bc
    """.split()  # noqa: SIM905
)
# Programs whose first operand is a pattern or a script, unless an option gave it.
_PATTERN_FIRST = {
    "grep": ("efABCmd", "file regexp include exclude exclude-dir max-count after-context before-context context color"),
    "rg": (
        "efABCmgtTjMr",
        "file regexp glob iglob type type-not max-count after-context before-context context replace",
    ),
    "ag": ("ABCGm", "file-search-regex max-count depth"),
    "awk": ("Ffvi", "file field-separator assign include"),
    "jq": ("fL", "from-file arg argjson indent"),
    "yq": ("", ""),
    "chmod": ("", "reference"),
    "chown": ("", "reference from"),
    "chgrp": ("", "reference"),
}
_ALIASES = {
    "egrep": "grep", "fgrep": "grep", "zgrep": "grep", "ggrep": "grep", "ripgrep": "rg", "gawk": "awk", "mawk": "awk",
    "nawk": "awk", "gsed": "sed", "gcp": "cp", "gmv": "mv", "grm": "rm", "ginstall": "install", "unlink": "rm",
    "nodejs": "node", "python2": "python", "python3": "python", "pypy3": "python", "gtruncate": "truncate",
    "nvim": "vim", "vi": "vim", "ex": "vim", "prename": "rename", "perl-rename": "rename",
    "file-rename": "rename", "red": "ed", "tomlq": "yq", "xq": "yq",
}  # fmt: skip
_INTERPRETERS = {
    "python": "cm",
    "node": "epr",
    "php": "r",
    "lua": "e",
    "deno": "",
    "bun": "e",
    "Rscript": "e",
    "R": "e",
}
_DEEP = frozenset(("r", "R", "a", "recursive", "archive"))
_PLAIN_WRITERS = {
    "tee": ("", ""),
    "truncate": ("sr", "size reference"),
    "touch": ("dtr", "date reference time"),
    "fallocate": ("lo", "length offset"),
    "shred": ("ns", "iterations size random-source"),
    "sponge": ("a", ""),
    "mkfifo": ("m", "mode"),
    "emacs": ("lfL", "load funcall eval directory"),
}
# They put another file in the place of each that is named, unless one of these options is given.
_PACKERS = dict.fromkeys(
    ("gzip", "gunzip", "pigz", "unpigz", "bzip2", "bunzip2", "xz", "unxz", "lzma", "unlzma", "compress", "uncompress"),
    frozenset(("c", "stdout", "to-stdout", "k", "keep", "l", "list", "t", "test")),
)
_PACKED = (".gz", ".bz2", ".xz", ".lzma", ".Z")
# Options that name what is written, by program.
_OUTPUTS = {
    "cc": "o", "clang": "o", "clang++": "o", "dot": "o", "flex": "o", "bison": "o", "g++": "o", "gcc": "o",
    "iconv": "o", "ld": "o", "openssl": "out", "pandoc": "o", "protoc": "o", "rustc": "o", "shuf": "o",
    "xsltproc": "o", "m4": "o", "gpg": "o", "envsubst": "o", "tsc": "outFile", "esbuild": "outfile", "jsonnet": "o",
    "objcopy": "o", "age": "o",
}  # fmt: skip
_LONG_OUTPUTS = ("output", "out", "output-file", "outFile", "outfile")


def name_of(argument: Argument) -> str:
    """Return the program that a first argument runs, without folder and version."""
    text = argument.text or ""
    if text.isalpha():
        return _ALIASES.get(text, text)
    name = text.rpartition("/")[2]
    if "@" in name or "=" in name or ":" in name:  # prettier@3, black==24.1, and hatch's lint:black
        name = name.partition("@")[0].partition("==")[0].rpartition(":")[2] or name
    if name.startswith("python3."):
        return "python"
    return _ALIASES.get(name.removesuffix(".exe"), name.removesuffix(".exe"))


def files_of_program(name: str, arguments: list[Argument]) -> Found:
    """Return what a program does to the files that its arguments (without its own name) name."""
    if name in _NO_FILES:
        return []
    special = _PROGRAMS.get(name)
    if special is not None:
        return special(arguments)
    if name in _PLAIN_WRITERS:
        _, operands = options_and_operands(arguments, *_PLAIN_WRITERS[name])
        return [("write", operand) for operand in operands]
    if name in _PATTERN_FIRST:
        return _pattern_first(name, arguments)
    if name in _PACKERS:
        return _packed(arguments, _PACKERS[name])
    if name in _OUTPUTS:
        return _with_output(arguments, _OUTPUTS[name])
    if name in _INTERPRETERS and name != "bun":
        return _interpreter(arguments, _INTERPRETERS[name])
    # Long tables, and most programs are known by now.
    from gatilho.shell.formatters import files_of_formatter
    from gatilho.shell.manifests import files_of_manager

    found = files_of_manager(name, arguments)
    others = _interpreter(arguments, "e") if name == "bun" and not found else files_of_formatter(name, arguments)
    return found + others


def _pattern_first(name: str, arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(arguments, *_PATTERN_FIRST[name])
    given = any(option in ("e", "f", "file", "regexp", "from-file", "reference") for option, _ in options)
    given = given or (name == "chmod" and any(option in "rwxXst" for option, _ in options))  # `chmod -x FILE`
    files = operands if given else operands[1:]
    kind = "read"
    if name == "awk" and any(value.text == "inplace" for value in values(options, "i", "include")):
        kind = "write"
    if name == "yq" and any(option in ("i", "inplace", "in-place") for option, _ in options):
        kind = "write"
    return [("read", value) for value in values(options, "f", "file", "from-file")] + [(kind, file) for file in files]


def _packed(arguments: list[Argument], keeping: frozenset[str]) -> Found:
    options, operands = options_and_operands(arguments, "S", "suffix")
    if keeping.intersection(name for name, _ in options):
        return reads(operands)
    whole = [
        Argument(one.approximate.removesuffix(end), one.glob)
        for one in operands
        for end in _PACKED
        if one.approximate.endswith(end)
    ]
    return [("write", one) for one in operands + whole]


def _with_output(arguments: list[Argument], option: str) -> Found:
    """Return what a program reads, and writes where an option says so, with one hyphen or two, glued or not."""
    names = {"-" + option, *("--" + name for name in (option, *_LONG_OUTPUTS))}
    found: Found = []
    waiting = iter(arguments)
    for argument in waiting:
        name, equals, value = argument.approximate.partition("=")
        if name in names:
            written = Argument(value, argument.glob) if equals else next(waiting, None)
            found += [("write", written)] if written is not None else []
        elif len(option) == 1 and name[:2] == "-" + option:
            found.append(("write", Argument(argument.approximate[2:], argument.glob)))
        else:
            found += reads([argument])
    return found


def _edited(arguments: list[Argument]) -> Found:
    """Read a call of a line or screen editor: it writes its files, unless it was called to look at them."""
    kept: list[Argument] = []
    looks = False
    waiting = iter(arguments)
    for argument in waiting:
        text = argument.approximate
        if text[:1] == "-" and len(text) > 1:
            looks = looks or text in ("-R", "-M", "-Z", "-d")
            if text[-1:] in "cSuUiT" or text == "--cmd":  # as in `-sc TEXT`
                next(waiting, None)
        elif text[:1] != "+":
            kept.append(argument)
    return [("read" if looks else "write", one) for one in kept]


def _renamed(arguments: list[Argument]) -> Found:
    """Read a call of `rename`: Perl's takes one expression first, the one in util-linux two texts."""
    options, operands = options_and_operands(arguments, "e", "expr")
    given = any(name in ("e", "expr") for name, _ in options)
    is_plain = operands and all(char.isalnum() or char in "._- " for char in operands[0].approximate)
    files = operands if given else operands[2 if is_plain else 1 :]
    if any(name in ("n", "nono", "no-act") for name, _ in options):
        return reads(files)
    return [("write", one) for one in files]


def _moved_by_pattern(arguments: list[Argument]) -> Found:
    """Read a call of `mmv` or `zmv`, which expand the first pattern themselves."""
    operands = options_and_operands(arguments, "")[1]
    return [("write", Argument(one.approximate.replace("(", "").replace(")", ""), True)) for one in operands[:1]]


def _split(arguments: list[Argument]) -> Found:
    operands = options_and_operands(arguments, "abCnlt", "bytes lines number suffix-length")[1]
    prefix = operands[1:2] or [Argument("x")]
    return (
        reads(operands[:1])
        + [("write", Argument(literal_pattern(one.approximate) + "*", True)) for one in prefix]
        + [("write", one) for one in operands[1:2]]
    )


def _read_then_written(arguments: list[Argument]) -> Found:
    operands = options_and_operands(arguments, "fsw", "skip-fields skip-chars check-chars")[1]
    return reads(operands[:1]) + [("write", one) for one in operands[1:2]]


def _interpreter(arguments: list[Argument], code: str) -> Found:
    """Return a script and its arguments; nothing where the program itself is in the arguments (`python -c`)."""
    for at, argument in enumerate(arguments):
        text = argument.approximate
        if not text.startswith("-") or text == "-":
            return reads(arguments[at:])
        if text[-1] == "m" and "m" in code and at + 1 < len(arguments):
            if arguments[at + 1].approximate in ("tarfile", "zipfile") and at + 3 < len(arguments):
                return _by_module(arguments[at + 2 :])
            if arguments[at + 1].approximate == "json.tool":
                operands = options_and_operands(arguments[at + 2 :], "", "indent")[1]
                return reads(operands[:1]) + [("write", one) for one in operands[1:2]]
            from gatilho.shell.formatters import files_of_formatter

            return files_of_formatter(arguments[at + 1].approximate, arguments[at + 2 :])
        if text[-1] in code and not text.startswith("--"):
            return reads(arguments[at + 2 :])
        if text in ("--eval", "--print"):
            return reads(arguments[at + 2 :])
    return []


def _by_module(arguments: list[Argument]) -> Found:
    """Read what `python -m tarfile` or `zipfile` does: `-e ARCHIVE [FOLDER]` unpacks, `-c ARCHIVE FILE…` packs."""
    verb, archive, *rest = arguments
    if verb.approximate in ("-e", "--extract"):
        return [("read", archive), ("tracked", (rest or [Argument(".")])[0])]
    return [("write" if verb.approximate in ("-c", "--create") else "read", archive), *reads(rest)]


def _sed(arguments: list[Argument]) -> Found:
    # BSD's sed wants the suffix of `-i` as an argument of its own, where an empty one is common.
    kept = [
        argument
        for at, argument in enumerate(arguments)
        if not (argument.text == "" and at and arguments[at - 1].approximate.startswith("-"))
    ]
    in_place, given, files = False, False, []  # type: bool, bool, Found
    suffix = ""
    scripts: list[str] = []
    operands: list[Argument] = []
    waiting = iter(kept)
    for argument in waiting:
        text = argument.approximate
        if text == "--":
            operands.extend(waiting)
        elif text.startswith("--"):
            in_place = in_place or text.startswith("--in-place")
            suffix = text.partition("=")[2] if text.startswith("--in-place") else suffix
            if text.startswith(("--expression", "--file")):
                given = True
                value = Argument(text.partition("=")[2]) if "=" in text else next(waiting, None)
                if value is not None and text.startswith("--file"):
                    files.append(("read", value))
                elif value is not None:
                    scripts.append(value.approximate)
        elif len(text) > 1 and text[0] == "-":
            letter = next((char for char in text[1:] if char in "iIefl"), "")
            in_place = in_place or letter in ("i", "I")
            suffix = text.partition(letter)[2] if letter in ("i", "I") else suffix
            if letter in ("e", "f"):
                given = True
                rest = text.partition(letter)[2]
                value = Argument(rest) if rest else next(waiting, None)
                if value is not None and letter == "f":
                    files.append(("read", value))
                elif value is not None:
                    scripts.append(value.approximate)
        else:
            operands.append(argument)
    kind = "write" if in_place else "read"
    edited = operands if given else operands[1:]
    scripts += [] if given else [one.approximate for one in operands[:1]]
    if any("w" in script.lower() for script in scripts):
        from gatilho.shell.scripts import files_of_sed

        files += [("write", Argument(file)) for script in scripts for file in files_of_sed(script)]
    return files + [(kind, file) for file in edited] + _kept_as(edited, suffix)


def _perl(arguments: list[Argument]) -> Found:
    """Read a call of Perl or Ruby: `-i` anywhere in a cluster edits in place.

    `-e` holds the program, else the first operand does.
    """
    in_place = given = False
    suffix = ""
    operands: list[Argument] = []
    waiting = iter(arguments)
    for argument in waiting:
        text = argument.approximate
        if text == "--":
            operands.extend(waiting)
        elif len(text) > 1 and text[0] == "-" and not text.startswith("--"):
            for at, letter in enumerate(text[1:20], 1):
                if letter == "i":
                    in_place, suffix = True, text[at + 1 :]
                    break
                if letter in "eE":
                    given = True
                    if at == len(text) - 1:
                        next(waiting, None)
                    break
                # The rest of the cluster is this option's own value.
                if letter in "MmIFx0" and letter != "0":
                    break
        elif not text.startswith("--"):
            operands.append(argument)
    kind = "write" if in_place else "read"
    edited = operands if given else operands[1:]
    return reads(operands[: len(operands) - len(edited)]) + [(kind, one) for one in edited] + _kept_as(edited, suffix)


def _kept_as(edited: list[Argument], suffix: str) -> Found:
    """Return the copies that an edit in place leaves beside the files."""
    plain = [one for one in edited if suffix and not one.glob and "*" not in suffix]
    return [("write", Argument(one.approximate + suffix)) for one in plain]


def _is_remote(argument: Argument) -> bool:
    # `./a:b` is a file here, and one letter before the colon is a drive of Windows.
    host, colon, _ = argument.approximate.partition(":")
    return bool(colon) and "/" not in host and len(host) != 1


def _last(argument: Argument) -> str:
    return argument.approximate.rstrip("/").rpartition("/")[2]


def _below(folder: Argument, source: Argument) -> Argument:
    glob = folder.glob or source.glob
    parts = [
        argument.approximate if not glob or argument.glob else literal_pattern(argument.approximate)
        for argument in (folder, source)
    ]
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


def _sort(arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(arguments, "oktSTo", "output key field-separator")
    found: Found = [("write", value) for value in values(options, "o", "output")]
    return found + [("read", operand) for operand in operands]


def _find(arguments: list[Argument]) -> Found:
    found: Found = []
    for argument in arguments:
        if argument.approximate.startswith(("-", "(", "!", ")")):
            break
        found.append(("read", argument))
    return found


_PROGRAMS = {
    "sed": _sed,
    "perl": _perl,
    "ruby": _perl,
    "cp": _copy,
    "mv": move,
    "install": _install,
    "rsync": _rsync,
    "scp": _scp,
    "ln": _link,
    "rm": _remove,
    "rmdir": _remove,
    "dd": _dd,
    "curl": _curl,
    "wget": _wget,
    "sort": _sort,
    "tar": _tar,
    "gtar": _tar,
    "bsdtar": _tar,
    "unzip": _unzip,
    "zip": _zip,
    "find": _find,
    "vim": _edited,
    "ed": _edited,
    "rename": _renamed,
    "mmv": _moved_by_pattern,
    "zmv": _moved_by_pattern,
    "split": _split,
    "uniq": _read_then_written,
    "convert": _read_then_written,
}
