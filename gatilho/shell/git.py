"""Which arguments of a git command name files of the working tree, and whether it reads or writes them."""

from gatilho.shell.arguments import BETWEEN, UNKNOWN, Argument
from gatilho.shell.program_options import Found, options_and_operands, reads, values

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
    "show": ("nGSLU", "format date"),
    "stage": ("", "chmod"),
    "status": ("", ""),
}

# With one of these options the work that is not committed is lost, in all of the tree.
_DISCARDING = {
    "reset": frozenset(("hard", "merge")),
    "read-tree": frozenset(("u", "reset")),
    "switch": frozenset(("f", "force", "discard-changes")),
}
_ALL = Argument(":/")
# Letters and names of the options with a value, and which of them hold a command.
_FILTERS = "tree-filter index-filter msg-filter env-filter commit-filter parent-filter tag-name-filter"
_RUNS = {
    "rebase": ("xXs", "exec onto", ("x", "exec")),
    "difftool": ("xt", "extcmd tool", ("x", "extcmd")),
    "filter-branch": ("", _FILTERS, tuple(_FILTERS.split())),
}


def files_of_git(arguments: list[Argument]) -> Found:
    """Return what a git command does to files; arguments begin with the subcommand, global options taken off.

    Kinds more than elsewhere: "changed", a pathspec of which those files are written that differ from HEAD,
    "untracked", one of which those are removed that git does not know, and BETWEEN with revisions. What else a command
    rewrites without naming it
    (a branch checked out, a rebase) gives nothing.
    """
    command, rest = (arguments[0].text or "", arguments[1:]) if arguments else ("", [])
    if command == "mv":
        from gatilho.shell.transfers import move

        return move(rest)
    if command == "rm":
        options, operands = options_and_operands(rest, "", "pathspec-from-file")
        kind = "read" if any(name == "cached" for name, _ in options) else "tree"
        return [(kind, operand) for operand in operands]
    if command == "stash":
        return _stashed(rest)
    if command == "clean":
        return _cleaned(rest)
    if command in ("reset", "read-tree", "switch"):
        given = {name for name, _ in options_and_operands(rest, "cC", "create force-create prefix")[0]}
        return [("changed", _ALL)] if given & _DISCARDING[command] else []
    if command == "checkout-index":
        options, operands = options_and_operands(rest, "", "prefix stage")
        given = {name for name, _ in options}
        found: Found = [("changed", _ALL)] if given & {"a", "all"} else []
        return found + [("tracked" if given & {"f", "force"} else "maybe", operand) for operand in operands]
    if command in ("checkout", "restore"):
        return _restored(command, rest)
    if command in ("cherry-pick", "revert", "merge"):
        return _applied(command, rest)
    if command == "bundle" and rest[1:] and rest[0].text == "create":
        return [("write", one) for one in options_and_operands(rest[1:], "", "version")[1][:1]]
    if command in ("archive", "diff", "log", "show"):
        options = options_and_operands(rest, "o" if command == "archive" else "", "output format prefix")[0]
        found = [("write", one) for one in values(options, "o", "output")]
        return found + (_read(command, rest) if command in _READERS else [])
    return _read(command, rest) if command in _READERS else []


def _restored(command: str, arguments: list[Argument]) -> Found:
    texts = [argument.approximate for argument in arguments]
    options, operands = options_and_operands(arguments, "bBsU", "source orphan conflict pathspec-from-file unified")
    names = {name for name, _ in options}
    if names & {"p", "patch"}:
        # What comes before `--` is a revision, of a checkout alone.
        named = operands[:1] if command == "checkout" and "--" not in texts[:2] else values(options, "s", "source")
        return [(between(*[one.approximate for one in named]), _ALL)]
    if command == "restore":
        only_index = bool(names & {"staged", "S"}) and not names & {"worktree", "W"}
        return [("read" if only_index else "tracked", operand) for operand in operands]
    if "--" in texts:
        return [("tracked", argument) for argument in arguments[texts.index("--") + 1 :]]
    if names & {"b", "B", "orphan", "detach", "t", "track"}:
        return []
    if names & {"f", "force"}:
        return [("changed", _ALL), *[("tracked" if at else "maybe", operand) for at, operand in enumerate(operands)]]
    # The first may be a branch; what comes after a branch or a commit is a path.
    first = "tracked" if operands and operands[0].approximate.startswith((":", ".")) else "maybe"
    return [("tracked" if at else first, operand) for at, operand in enumerate(operands)]


def commands_of_git(arguments: list[Argument]) -> list[str]:
    """Return the commands that a git command runs itself; arguments begin with the subcommand."""
    command = arguments[0].approximate if arguments else ""
    texts = [one.approximate for one in arguments[1:]]
    if command == "bisect" and texts[:1] == ["run"]:
        return [" ".join(texts[1:])]
    if command == "submodule" and texts[:1] == ["foreach"]:
        return [" ".join(one for one in texts[1:] if one[:1] != "-")]
    short, long, names = _RUNS.get(command, ("", "", ()))
    options = options_and_operands(arguments[1:], short, long)[0]
    return [one.approximate for one in values(options, *names)]


def _applied(command: str, arguments: list[Argument]) -> Found:
    """Return what a merge, a pick or a revert writes that makes no commit of its own."""
    options, operands = options_and_operands(arguments, "mXsFS", "mainline strategy strategy-option message file")
    if not {name for name, _ in options} & {"n", "no-commit", "squash"}:
        return []
    if command == "merge":
        return [(between(f"HEAD...{one.approximate}"), _ALL) for one in operands]
    return [(change_of(one.approximate), _ALL) for one in operands]


def change_of(revision: str) -> str:
    """Return the kind for what a commit, or a range of them, changed."""
    return between(revision) if ".." in revision else between(f"{revision}^", revision)


def between(*revisions: str) -> str:
    """Return the kind for what `git diff` shows for revisions; for those that are none, what differs from HEAD."""
    known = all(one[:1] not in ("", "-") and UNKNOWN not in one and " " not in one for one in revisions)
    return BETWEEN + " ".join(revisions) if revisions and known else "changed"


def _stashed(arguments: list[Argument]) -> Found:
    """Return the paths that `git stash` sets aside: without any all that is changed."""
    verb = arguments[0].approximate if arguments and arguments[0].approximate[:1] != "-" else "push"
    if verb in ("pop", "apply", "branch"):
        operands = options_and_operands(arguments[1:], "")[1][verb == "branch" :]
        name = operands[0].approximate if operands else "0"
        name = f"stash@{{{name}}}" if name.isdecimal() else name
        return [(between(f"{name}^", name), _ALL)]
    if verb not in ("push", "save"):
        return []
    rest = arguments[1:] if arguments and arguments[0].approximate == verb else arguments
    options, operands = options_and_operands(rest, "m", "message pathspec-from-file")
    given = {name for name, _ in options}
    if operands and verb == "push":
        return [("tracked", operand) for operand in operands]
    found: Found = [] if given & {"S", "staged"} else [("changed", _ALL)]
    return found + ([("untracked", _ALL)] if given & {"u", "include-untracked", "a", "all"} else [])


def _cleaned(arguments: list[Argument]) -> Found:
    """Return what `git clean` removes: of the paths, or below the folder, what git does not know."""
    options, operands = options_and_operands(arguments, "e", "exclude")
    given = {name for name, _ in options}
    if given & {"n", "dry-run"}:
        return [("read", operand) for operand in operands]
    return [("untracked", operand) for operand in operands or [Argument(".")]]


def _read(command: str, arguments: list[Argument]) -> Found:
    options, operands = options_and_operands(arguments, *_READERS[command])
    if command == "grep" and not values(options, "e"):
        operands = operands[1:]
    found = reads(operands + values(options, "F", "file", "pathspec-from-file"))
    for operand in operands + values(options, "L"):
        _, colon, file = operand.approximate.partition(":")  # HEAD:src/a.py
        if colon and file:
            found.append(("read", Argument(file, operand.glob)))
    return found
