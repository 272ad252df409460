"""Which simple commands change rows past the ladder, set up or take out the hooks, or feed a hook an event.

Every spelling that a shell resolves from its own line was resolved by its reader; what is known here are programs that
run what is in their arguments.
"""

from gatilho.fast_path import GUARDED_VERBS, UNKNOWN, may_be_us

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Calls = Iterable[tuple[str, ...]]

HOOK = "hook"
# What takes the package out, and the hooks with it.
REMOVAL = "removal"
_NAMES = ("gatilho", "gatilho.exe", "gatilho.py")
_DISPATCHERS = ("gatilho.py", "gatilho_dispatcher")
# They run, or type into a terminal that they make, what is in their arguments; the reader of shell does not follow.
_LAUNCHERS = frozenset(
    ("alias", "at", "awk", "batch", "bun", "bwrap", "chroot", "crontab", "deno", "docker", "ed", "expect", "faketime",
     "fakeroot", "firejail", "gawk", "gdb", "julia", "just", "less", "ltrace", "lua", "m4", "make", "mawk", "nawk",
     "nix", "node", "osascript", "parallel", "perl", "php", "pipx", "rlwrap", "rscript", "rsync", "ruby", "runuser",
     "screen", "script", "set", "socat", "start-process", "start-stop-daemon", "strace", "su", "systemd-run",
     "tclsh", "tmux", "trap", "unshare", "valgrind", "vi", "vim", "winpty", "xvfb-run", "zellij", "zip")
)  # fmt: skip
# They say or look for what they are given, and so may be given a program with its verb, word by word.
_SAYING = frozenset(("apropos", "compgen", "echo", "gh", "git", "glab", "grep", "ls", "man", "printf", "rg", "which"))
_OF_GIT = frozenset(
    ("config", "bisect", "rebase", "submodule", "filter-branch", "difftool", "mergetool", "for-each-repo")
)
# They give a program one more name, the last of their words.
_NAMING = frozenset(("cp", "hash", "install", "link", "ln", "mv"))
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "source", ".", "eval"))
_MARKS_OF_CODE = {**dict.fromkeys(map(ord, "'\"\\")), **dict.fromkeys(map(ord, "`$()[]{},;|&<>!#"), " ")}
# Managers of the packages of Python, of a system that has them, and of plugins; the verbs that take out what is named.
_REMOVERS = frozenset(
    ("apk", "apt", "apt-get", "brew", "claude", "codex", "conda", "copilot", "dnf", "gemini", "mamba", "micromamba",
     "pdm", "pip", "pipenv", "pipx", "pixi", "poetry", "qwen", "rye", "uv", "uvx", "yum")
)  # fmt: skip
_REMOVING = frozenset(("disable", "erase", "purge", "remove", "rm", "uninstall"))
# How Python code runs a module that it names as text.
_LOADS = ("gatilho.hook", "import hook", "gatilho.__main__", "gatilho_dispatcher", "runpy", "run_module", "run_path",
          "import_module", "__import__", "exec(")  # fmt: skip
# With these a command only says what it would do.
_ONLY_SAYS = frozenset(("--help", "-h", "--dry-run", "--list"))
# What of an owed debt `add --update` would change besides its note.
_GUARDED_OPTIONS = frozenset(("--trigger", "--paid-when", "--ask-after"))


def guarded_verb(calls: "Calls", is_row: "Callable[[str], bool]" = lambda text: True) -> str:
    """Return the first guarded verb among simple commands, "" for none; HOOK where one feeds the hook an event.

    REMOVAL where a package manager takes us out. calls: the arguments of each as the program gets them. is_row: whether
    a text is the id of a row, asked where the program itself cannot be known.
    """
    aliases: dict[str, tuple[str, ...]] = {}
    calls = tuple(calls)
    if any(_runs_unknown_text(call) for call in calls):  # what an `echo` in the line says may be what it runs
        said = [verb for call in calls if (verb := _verb_within([*call]))]
        if said:
            return said[0]
    looked_up = any(_name(word) in _NAMES for call in calls for word in call[1:])
    for call in calls:
        words = aliases.get(call[0], call[:1]) + call[1:]
        if words[0] == "alias":
            aliases.update(_aliases_in(words[1:]))
        if _name(words[0]) in _NAMING and any(_name(word) in _NAMES for word in words[1:-1]):
            aliases.update(dict.fromkeys((words[-1], f"./{words[-1]}"), _NAMES[:1]))
        verb = _verb_of(words, is_row) or (_guarded([*words]) if looked_up and UNKNOWN in words[0] else "")
        if verb:
            return verb
    return ""


def _runs_unknown_text(call: tuple[str, ...]) -> bool:
    return call[0] == UNKNOWN or (_name(call[0]) in _SHELLS and any(UNKNOWN in word for word in call[1:]))


def _aliases_in(words: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    parted = (word.partition("=") for word in words if "=" in word)
    return {name: tuple(text.split()) or ("",) for name, _, text in parted}


def _verb_of(call: tuple[str, ...], is_row: "Callable[[str], bool]") -> str:
    words = [*call[0].split(), *call[1:]]  # `env -S "gatilho pay"` makes one word of a whole command
    if not words:
        return ""
    program = _name(words[0])
    if _removes_us(words):
        return REMOVAL
    if program.lower() in _LAUNCHERS or (program == "git" and _runs_by_git(words)):
        return _verb_within(words)
    if program == "py" or program.startswith(("python", "pypy", "py.exe")):
        words = _run_by_python(words[1:])
        if words[:1] == ["-c"]:
            return _verb_within(words) or (HOOK if calls_hook(" ".join(words)) else "")
        if _removes_us(words):
            return REMOVAL
        program = _name(words[0]) if words else ""
    if program in _NAMES:
        return _guarded(words) or (HOOK if program in _DISPATCHERS else "")
    if program in _DISPATCHERS or program in ("gatilho.__main__", "gatilho.hook"):
        return _guarded(words) or HOOK
    if "gatilho" in program:  # one word to the reader, several to a shell that parts words elsewhere
        return _verb_within(words)
    if not may_be_us(program):
        return "" if program in _SAYING else _verb_among_arguments(words)
    verb, operand = [*(word for word in words[1:] if not word.startswith("-")), "", ""][:2]
    if verb == HOOK and not operand:
        return HOOK
    return verb if verb in GUARDED_VERBS and (UNKNOWN in operand or is_row(operand)) else ""


def _verb_among_arguments(words: list[str]) -> str:
    """Return the verb of a call of ours among the arguments of any other program, which may be one that runs it."""
    at = next((at for at, word in enumerate(words) if at and _name(word) in _NAMES), 0)
    verb = _guarded(words[at:]) if at else ""
    return "" if verb == "…" else verb


def _runs_by_git(words: list[str]) -> bool:
    """Return whether git runs a command that is in its arguments."""
    return not _OF_GIT.isdisjoint(words) or any(word.startswith("alias.") for word in words)


def _guarded(words: list[str]) -> str:
    """Return the verb of a call of ours where an agent may not make it; a verb that cannot be known may be any."""
    rest = iter(words[1:])
    verb = ""
    for word in rest:
        if word == "--root":
            next(rest, None)
        elif not word.startswith("-"):
            verb = word
            break
    if UNKNOWN in verb or any(mark in verb for mark in "*?["):
        return "…"
    if verb == "doctor":
        return verb if "--fix" in words else ""
    if _ONLY_SAYS.intersection(words):
        return ""
    return verb if verb in GUARDED_VERBS else _changing_option(verb, words)


def _changing_option(verb: str, words: list[str]) -> str:
    """Return `add` with the option by which it also ends or changes another row, "" where it only adds one."""
    options = {word.partition("=")[0] for word in words}
    if verb != "add":
        return ""
    if "--supersedes" in options:
        return "add --supersedes"
    return "add --update" if "--update" in options and options & _GUARDED_OPTIONS else ""


def _verb_within(words: list[str]) -> str:
    """Return the verb after the first `gatilho`, or call of its `main`, that has one, whether in quotes or not."""
    text = " ".join(words)
    if "gatilho" not in text.translate(_MARKS_OF_CODE):
        return ""
    found = [word for word in text.translate(_MARKS_OF_CODE).split() if word != "--" and word[-1] != ":"]
    if "conditions.allowed" in text or "allow_command" in text:
        return "allow"
    if "gatilho.commands" in text:  # the module of each has its own `main`
        return next((part for word in found for part in word.split(".") if part in GUARDED_VERBS), "")
    given = (word.removeprefix("-m").removeprefix("EXEC:") for word in found)
    names = (_name(word.partition("=")[2] or word) for word in given)
    for at, name in enumerate(names):
        name = "main" if name.endswith(".main") else name
        verb = _guarded(found[at:]) if name in (*_NAMES, "main") else ""
        if verb and verb != "…":
            return verb
        if name in (*_NAMES, "main") and found[at + 1 : at + 2] == ["remember"]:
            return "remember"  # a yes can be typed into a terminal that the program makes
        if name in _DISPATCHERS:
            return HOOK
        if _removes_us(found[at:]):
            return REMOVAL
    return ""


def _removes_us(words: list[str]) -> bool:
    """Return whether a package manager takes the package out; a requirement may have extras and a version."""
    manager = _name(words[0]).removesuffix(".exe").rstrip("0123456789.") if words else ""
    at = next((at for at, word in enumerate(words) if word in _REMOVING), 0)
    if manager not in _REMOVERS or not at or _ONLY_SAYS.intersection(words):
        return False
    named = (word.lower().removeprefix(_NAMES[0]) for word in words[at + 1 :] if word.lower().startswith(_NAMES[0]))
    return any(not (rest[:1].isalnum() or rest[:1] in ("-", "_", ".")) for rest in named)


def calls_hook(code: str) -> bool:
    """Return whether Python code that names the package loads its hook, or whatever it is asked to by another name."""
    imported = "gatilho import" in code and "hook" in code
    return "gatilho" in code and (imported or any(word in code for word in _LOADS))


def _run_by_python(words: list[str]) -> list[str]:
    """Return the module or script that the interpreter runs, and its arguments.

    From `-c` on for a program given as text.
    """
    while words and words[0].startswith("-"):
        letters = words[0].lstrip("-")
        at = next((at for at, letter in enumerate(letters) if letter in "cmWX"), None)
        if at is None or words[0].startswith("--"):
            words = words[1:]
        elif letters[at] == "c":
            return ["-c", letters[at + 1 :], *words[1:]]
        elif letters[at + 1 :]:
            words = [letters[at + 1 :], *words[1:]] if letters[at] == "m" else words[1:]
        else:
            words = words[1:] if letters[at] == "m" else words[2:]
    return words


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
