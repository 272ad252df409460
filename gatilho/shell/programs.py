"""Which arguments of a known program name files, and whether it reads or writes them.

Kinds: "read"; "write"; "tree", a write of a path and of all that is below it; "into", a write that happens only where
the folder of the path exists (`cp a dir` writes `dir/a`); "maybe", one only where the path exists (`git checkout a`);
"rewritten" and ends of names, one of the path and perhaps of the tracked files below it that end so.
"""

from gatilho.shell.arguments import Argument, literal_pattern
from gatilho.shell.program_options import Found, options_and_operands, reads, values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Programs that take no file, or whose words only look like files (`echo src/a.py`).
_NO_FILES = frozenset(
    """
    echo printf true false : sleep kill pkill killall exit return set shift alias unalias type which whereis
    hash jobs fg bg wait trap umask ulimit let break continue yes seq expr basename dirname uname whoami id
    hostname uptime tput logger printenv getopts shopt clear history ping dig nslookup host gh glab
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
    "ts-node": "node", "tsx": "node", "file-rename": "rename", "red": "ed", "tomlq": "yq", "xq": "yq",
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
    "objcopy": "o", "age": "o", "aria2c": "o", "ftp": "o", "http": "o", "https": "o", "xh": "o",
}  # fmt: skip
_LONG_OUTPUTS = (
    "output",
    "out",
    "output-file",
    "outFile",
    "outfile",
)  # What `editing` and `transfers` know, which are loaded for these alone.
EDITING = frozenset(("sed", "perl", "ruby", "vim", "ed", "rename", "mmv", "zmv"))
TRANSFERRING = frozenset(
    ("cp", "mv", "install", "rsync", "scp", "ln", "rm", "rmdir", "dd", "aria2c", "curl", "wget", "tar", "gtar",
     "bsdtar", "unzip", "zip", "docker", "podman", "nerdctl", "kubectl", "oc", "aws", "gcloud", "gsutil", "rclone",
     "lxc", "incus", "adb")
)  # fmt: skip


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
    special = _table_of(name).get(name)
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


def _table_of(name: str) -> "Mapping[str, Callable[[list[Argument]], Found]]":
    """Return the table that may have a program of its own kind; most commands need none of the longer ones."""
    if name in EDITING:
        from gatilho.shell.editing import EDITORS

        return EDITORS
    if name in TRANSFERRING:
        from gatilho.shell.transfers import TRANSFERS

        return TRANSFERS
    return _PROGRAMS


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
    "sort": _sort,
    "find": _find,
    "split": _split,
    **dict.fromkeys(("uniq", "convert"), _read_then_written),
}
