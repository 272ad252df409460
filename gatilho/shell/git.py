"""Which arguments of a git command name files of the working tree, and whether it reads or writes them."""

from gatilho.shell.arguments import Argument
from gatilho.shell.program_options import Found, options_and_operands, reads, values
from gatilho.shell.programs import move

# Letters and names of the options that take a value, of the commands whose operands may be files.
_READERS = {
    "add": ("", "chmod pathspec-from-file"),
    "am": ("CSp", ""),
    "annotate": ("LCMS", "ignore-rev"),
    "apply": ("pC", "directory exclude include whitespace"),
    "blame": ("LCMS", "ignore-rev"),
    "cat-file": ("", ""),
    "commit": ("mFCct", "message file author date fixup squash template trailer"),
    "diff": ("GSOU", "diff-filter"),
    "grep": ("efABCmO", "max-depth threads"),
    "log": ("nGSLU", "author committer grep since until after before format max-count date"),
    "ls-files": ("xX", "exclude"),
    "reset": ("", ""),
    "show": ("nGSLU", "format date"),
    "stage": ("", "chmod"),
    "status": ("", ""),
}


def files_of_git(arguments: list[Argument]) -> Found:
    """Return what a git command does to files; arguments begin with the subcommand, global options taken off.

    Commands that rewrite files without naming them (a branch checked out, a stash, a rebase) give nothing.
    """
    command, rest = (arguments[0].text or "", arguments[1:]) if arguments else ("", [])
    if command == "mv":
        return move(rest)
    if command == "rm":
        options, operands = options_and_operands(rest, "", "pathspec-from-file")
        kind = "read" if any(name == "cached" for name, _ in options) else "tree"
        return [(kind, operand) for operand in operands]
    if command == "stash":
        return [("tracked", operand) for operand in _stashed(rest)]
    if command == "clean":
        return [("tree", operand) for operand in options_and_operands(rest, "e", "exclude")[1]]
    if command in ("checkout", "restore"):
        return _restored(command, rest)
    return _read(command, rest) if command in _READERS else []


def _restored(command: str, arguments: list[Argument]) -> Found:
    texts = [argument.loose for argument in arguments]
    options, operands = options_and_operands(arguments, "bBsU", "source orphan conflict pathspec-from-file unified")
    names = {name for name, _ in options}
    if command == "restore":
        only_index = bool(names & {"staged", "S"}) and not names & {"worktree", "W"}
        return [("read" if only_index else "tracked", operand) for operand in operands]
    if "--" in texts:
        return [("tracked", argument) for argument in arguments[texts.index("--") + 1 :]]
    if names & {"b", "B", "orphan", "detach", "t", "track"}:
        return []
    # The first may be a branch; what comes after a branch or a commit is a path.
    first = "tracked" if operands and operands[0].loose.startswith((":", ".")) else "maybe"
    return [("tracked" if at else first, operand) for at, operand in enumerate(operands)]


def _stashed(arguments: list[Argument]) -> list[Argument]:
    """Return the paths that `git stash` sets aside; without any it names none, whatever it changes."""
    texts = [argument.loose for argument in arguments]
    if texts[:1] in (["push"], ["save"]):
        operands = options_and_operands(arguments[1:], "m", "message pathspec-from-file")[1]
        return operands if texts[0] == "push" else []
    return arguments[texts.index("--") + 1 :] if texts[:1] == ["--"] else []


def _read(command: str, arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(arguments, *_READERS[command])
    if command == "grep" and not values(options, "e"):
        operands = operands[1:]
    found = reads(operands + values(options, "F", "file", "pathspec-from-file"))
    for operand in operands + values(options, "L"):
        _, colon, file = operand.loose.partition(":")  # HEAD:src/a.py
        if colon and file:
            found.append(("read", Argument(file, operand.glob)))
    return found
