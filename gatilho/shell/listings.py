"""Commands that print names of files, and what they print as one marked word for all of them.

LISTED and a pattern: what the pattern means at that moment; TRACKED and a pathspec of git, once or more: those tracked
files. No one knows which of them are printed, so a write of them is one that may happen.
"""

from gatilho.shell import program_options
from gatilho.shell.arguments import LISTED, TRACKED, Argument, marked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# They print lines that they are fed, some of them or in another order; the others may also change them.
_PASSING = frozenset(("sort", "uniq", "head", "tail", "tac", "shuf", "tee", "cat", "pv"))
_FILTERING = frozenset(("grep", "rg", "sed", "awk", "tr", "cut", "column", "nl", "paste"))
FD_RUNS = ("-x", "-X", "--exec", "--exec-batch")
# In front of the kind of what a patch that git prints changes.
PATCH = TRACKED + "\x0e"
# Of git, with the options without which no names are printed ("" for none).
_OF_GIT = {"ls-files": "", "grep": "l files-with-matches L name-only", "diff": "name-only", "ls-tree": "name-only",
           "show": "name-only", "log": "name-only", "diff-tree": "name-only", "diff-index": "name-only",
           "diff-files": "name-only", "status": ""}  # fmt: skip


def printed_names(name: str, arguments: list[Argument], fed: str | None) -> str | None:
    """Return what a program prints as far as it is names of files, None for any other."""
    if name in _PASSING:
        return fed
    if name in _FILTERING and fed and (LISTED in fed or TRACKED in fed):
        return " ".join(word for word in fed.split() if LISTED in word or TRACKED in word)
    lister = _LISTERS.get(name)
    return None if lister is None else lister(arguments)


def printed_by_git(arguments: list[Argument]) -> str | None:
    """Return what a git command prints as far as it is names of files; arguments begin with the subcommand."""
    if arguments[1:] and [one.approximate for one in arguments[:2]] == ["stash", "show"]:
        return _patch("show", [one.approximate for one in arguments[2:] if one.approximate[:1] != "-"] or ["stash"])
    needed = _OF_GIT.get(arguments[0].approximate) if arguments else None
    if needed is None:
        return None
    command, texts = arguments[0].approximate, [one.approximate for one in arguments[1:]]
    options, operands = program_options.options_and_operands(arguments[1:], "xXefABCmOnSG", "exclude diff-filter")
    if needed and not {name for name, _ in options}.intersection(needed.split()):
        if command not in ("diff", "show"):
            return None
        paths = texts[texts.index("--") + 1 :] if "--" in texts else []
        return _patch(command, [one.approximate for one in operands[: len(operands) - len(paths)]])
    if command in ("ls-files", "grep") and (operands or command == "ls-files"):
        named = operands[1:] if command == "grep" and "--" not in texts else operands
        specs = [one.approximate for one in named] or ["."]
    else:  # from the root; what comes before `--` are commits
        specs = texts[texts.index("--") + 1 :] if "--" in texts else [":/"]
    return TRACKED + TRACKED.join(spec.replace(" ", "?") for spec in specs)


def _patch(command: str, revisions: list[str]) -> str:
    """Return the marked word for the patch that a command of git prints; paths after the revisions are left out."""
    from gatilho.shell.git import between, change_of

    if command == "show":
        kind = change_of((revisions or ["HEAD"])[0])
    else:
        kind = between(*[one for one in revisions[:2] if "." not in one.strip(".") or ".." in one])
    return PATCH + kind.replace(" ", "?")


def found_by_find(arguments: list[Argument]) -> tuple[list[str], bool]:
    """Return the patterns of what `find` finds, and whether it finds all that they mean."""
    folders = []
    for argument in arguments:
        if argument.approximate.startswith(("-", "(", "!", ")")):
            break
        folders.append(argument)
    texts = [argument.approximate for argument in arguments[len(folders) :]]
    # With two `-name`, with one that has a slash or with none, every name below the folders counts.
    named = [after for before, after in zip(texts, texts[1:]) if before == "-name"]  # noqa: RUF007
    refused = "!" in texts or "-not" in texts
    plain = len(named) == 1 and "/" not in named[0] and "\0" not in named[0] and not refused
    tests = [text for text in texts if text[:1] == "-" and text not in ("-name", "-type", "-print", "-print0")]
    whole = (
        (plain or not named) and not refused and all(test.startswith(("-exec", "-delete", "-ok")) for test in tests[:1])
    )
    patterns = [
        f"{marked_text(folder).rstrip('/')}/**/{named[0] if plain else '*'}"
        for folder in folders or [Argument(".")]
        if folder.text is not None
    ]
    return patterns, whole


def _listed(patterns: list[str]) -> str | None:
    return " ".join(LISTED + pattern.replace(" ", "?") for pattern in patterns) or None


def _find(arguments: list[Argument]) -> str | None:
    if any(one.approximate.startswith(("-exec", "-ok", "-delete")) for one in arguments):
        return None
    return _listed(found_by_find(arguments)[0])


def _below(folders: list[Argument]) -> str | None:
    known = [folder for folder in folders if folder.text is not None]
    patterns = [f"{marked_text(one).rstrip('/')}/**/*" for one in known] or ([] if folders else ["**/*"])
    return _listed(patterns + [marked_text(one) for one in known])


def _fd(arguments: list[Argument]) -> str | None:
    at = next((at for at, one in enumerate(arguments) if one.approximate in FD_RUNS), len(arguments))
    operands = program_options.options_and_operands(
        arguments[:at], "etdEcjS", "extension type max-depth exclude search-path"
    )[1]
    return _below(operands[1:])


def _ls(arguments: list[Argument]) -> str | None:
    operands = program_options.options_and_operands(arguments, "Iw", "ignore")[1]
    names = [marked_text(one) for one in operands if one.text is not None]
    return _listed([*names, "*"] if len(names) < 2 else names)  # of one folder, what is in it


def _grep(arguments: list[Argument]) -> str | None:
    options, operands = program_options.options_and_operands(
        arguments, "efABCmdD", "regexp file include exclude exclude-dir max-count"
    )
    given = {name for name, _ in options}
    if not given & {"l", "L", "files-with-matches", "files-without-match", "files"}:
        return None
    files = operands if given & {"e", "f", "regexp", "file", "files"} else operands[1:]
    deep = given & {"r", "R", "recursive", "dereference-recursive"}
    return _below(files) if deep else _listed([marked_text(one) for one in files if one.text is not None])


def _rg(arguments: list[Argument]) -> str | None:
    return _grep([Argument("-r"), *arguments])


_LISTERS: "dict[str, Callable[[list[Argument]], str | None]]" = {
    "find": _find,
    "fd": _fd,
    "fdfind": _fd,
    "ls": _ls,
    "grep": _grep,
    "rg": _rg,
    "ag": _rg,
    "ack": _rg,
}
