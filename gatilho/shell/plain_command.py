"""Shell commands so plain that the fast path needs no reading of shell: words, and programs that only run or look.

A filter, not a reader: what the reader of shell finds in such a command is among what this gives, which a test holds.
"""

_SAFE_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-=:,@+% \0\n")
# Between commands. A redirection is no plain command, except those that send errors along or away.
_SEPARATORS = ("&&", "||", "|", ";")
_ERRORS = (" 2>&1", " 2>/dev/null")
# They only look or print, whatever their arguments are: a quoted one is no command.
_LOOK = frozenset(
    ("cat", "cd", "date", "df", "du", "echo", "false", "file", "find", "git", "grep", "head", "ls", "mypy", "node",
     "ps", "pwd", "pytest", "python", "python3", "rg", "ruff", "sed", "sleep", "sort", "stat", "tail", "test", "tree",
     "true", "uniq", "wc", "which")
)  # fmt: skip
_RUN = frozenset(("awk", "cargo", "go", "make", "npm", "npx", "pip", "pnpm", "uv", "yarn"))
# What makes the others run or write something, and what keeps one from it.
_FIND_ACTS = ("-exec", "-ok", "-delete", "-fp", "-fls")
_SED_LOOKS = frozenset(("-n", "-E", "-r"))
# In code that may write files: their names may be put together there.
_CODE_ACTS = ("open", "write", "rm", "unlink", "remove", "rename", "replace", "move", "cop", "link", "trunc", "touch",
              "chmod", "spawn", "run", "exec", "system", "call", "delete", "input", "pack", "extract")  # fmt: skip
# They may run a formatter, which may rewrite what is below a folder that is named to it, or write a manifest.
_RUN_FORMATTERS = frozenset(("cargo", "go", "npm", "npx", "pnpm", "ruff", "uv", "yarn"))
_FORMATTING = frozenset(("fmt", "fix", "format", "--fix", "--fix-only"))
_OF_GIT = frozenset(("add", "blame", "branch", "commit", "diff", "fetch", "log", "push", "rev-parse", "show", "status"))
# Programs that write whole folders.
OF_FOLDERS = frozenset(("cp", "gcp", "mv", "rsync", "scp", "ditto", "tar", "bsdtar", "gtar", "unzip", "7z", "7za",
                        "7zz", "cpio", "pax", "jar"))  # fmt: skip
# Where one of these comes after a program, that may run it: what it writes has to be read.
_ELSEWHERE = OF_FOLDERS | {"git"}
# Variables whose values are known, for which the command has to be read; what stands for another one in a word.
_KNOWN = ("PWD", "HOME", "_PROJECT_DIR")
_VARIABLE = "%"
_IN_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
# In the place of a quoted text; what may be around one that is a whole argument, or the value of an option.
_QUOTED = "\0"
_OPENS = frozenset((" ", "="))
_CLOSES = frozenset((" ", ";", "|", "&", "\n", ""))


def plain_words(command: str) -> list[str] | None:
    """Return the words of a plain command as they are written, then their values: without quotes, and of options.

    None for a command that must be read.
    """
    outside, quoted = _without_quotes(command) if "'" in command or '"' in command else (command, [])
    if outside is None or _QUOTED in command:
        return None
    if "sed" in outside and any("w" in text for text in quoted):  # it may be a script that writes a file
        return None
    if ("python" in outside or "node" in outside) and any(act in text for text in quoted for act in _CODE_ACTS):
        return None
    if "|" in outside and any(part.split()[:1] and _is_script(part.split()) for part in outside.split("|")[1:]):
        return None
    for part in (*_ERRORS, *_SEPARATORS):
        outside = outside.replace(part, "" if part in _ERRORS else "\n")
    unnamed = _without_variables(outside) if "$" in outside else outside
    if unnamed is None or not _SAFE_LETTERS.issuperset(unnamed):
        return None
    lines = unnamed.split("\n")
    if not all(_is_plain(line.split()) for line in dict.fromkeys(lines) if line.strip()):
        return None
    folder = _entered(lines)
    if folder is None:
        return None
    texts = iter(quoted)
    words = [word.replace(_QUOTED, next(texts)) if _QUOTED in word else word for word in outside.split()]
    unquoted = [word.replace(word[-1], "") for word in words if quoted and word[-1] in "'\""]
    words += unquoted
    words += _values(words)
    return words + [f"{folder}/{word}" for word in words] if folder else words


def _without_variables(text: str) -> str | None:
    """Return a text with a mark in the place of each variable whose value is not known.

    None where one is known, or where a dollar begins anything else. No plain command sets one.
    """
    first, *pieces = text.split("$")
    kept = [first]
    for piece in pieces:
        brace = piece[:1] == "{"
        rest = piece[1:] if brace else piece
        length = 0
        while rest[length : length + 1] in _IN_NAMES:
            length += 1
        if not length or rest[:length].endswith(_KNOWN) or (brace and rest[length : length + 1] != "}"):
            return None
        kept += _VARIABLE, rest[length + brace :]
    return "".join(kept)


def _without_quotes(command: str) -> tuple[str | None, list[str]]:
    """Return the command with a mark in the place of each quoted text, and these; None where one is not plain."""
    kept: list[str] = []
    texts: list[str] = []
    at = 0
    while True:
        single, double = command.find("'", at), command.find('"', at)
        start = min(single, double) if single >= 0 and double >= 0 else max(single, double)
        if start < 0:
            break
        end = command.find(command[start], start + 1)
        text = command[start : end + 1]
        if end < 0 or command[start - 1 : start] not in _OPENS or command[end + 1 : end + 2] not in _CLOSES:
            return None, []
        if command[start] == '"' and ("`" in text or "\\" in text or _without_variables(text) is None):
            return None, []
        kept += command[at:start], _QUOTED
        texts.append(text)
        at = end + 1
    return "".join([*kept, command[at:]]), texts


def _is_script(words: list[str]) -> bool:
    """Return whether a command that is fed by a pipe runs a script in a file."""
    return words[0].startswith("python") and words[1:2] != [] and words[1][0] != "-"


def _is_plain(words: list[str]) -> bool:
    """Return whether the words of a simple command are those of a program that is known to write nothing of itself."""
    program = words[0]
    if program not in _LOOK and (program not in _RUN or any(_QUOTED in word for word in words)):
        return False
    options = [word for word in words if word[0] == "-"]
    if program == "git" and (len(words) < 2 or words[1] not in _OF_GIT):
        return False
    if program == "find" and any(word.startswith(_FIND_ACTS) for word in options):
        return False
    if (program in _RUN_FORMATTERS or "-m" in words) and _may_format(words[1:]):
        return False
    if program == "sed" and not _only_prints(words[1:], options):
        return False
    return _ELSEWHERE.isdisjoint(words[1:])


def _may_format(words: list[str]) -> bool:
    """Return whether a command runs a formatter, changes packages, or writes a folder by one of Python's modules."""
    from gatilho.shell.formatters import is_formatter
    from gatilho.shell.manifests import VERBS

    if not VERBS.isdisjoint(words):
        return True
    names = (word.rpartition("/")[2].partition("@")[0].partition("==")[0].rpartition(":")[2] for word in words)
    return any(name in _FORMATTING or name in ("tarfile", "zipfile") or is_formatter(name) for name in names)


def _only_prints(words: list[str], options: list[str]) -> bool:
    """Return whether sed changes no file: none of its options does, and no `w` is in its script, the first operand."""
    script = next((word for word in words if word[0] != "-"), "")
    return _SED_LOOKS.issuperset(options) and "w" not in script


def _entered(lines: list[str]) -> str | None:
    """Return the folder that the first command enters, "" for none; None where it is not known or another one is."""
    moves = [line.split() for line in lines if line.split()[:1] == ["cd"]]
    if not moves:
        return ""
    only = len(moves) == 1 and moves[0] == lines[0].split() and len(moves[0]) == 2
    return moves[0][1] if only and not moves[0][1].startswith(("-", _QUOTED)) else None


def _values(words: list[str]) -> list[str]:
    """Return what may be a path within a word: the value of an option, and what comes after a revision of git."""
    found = [word[word.index(mark) + 1 :] for word in words for mark in "=:" if mark in word]
    return found + [word[2:] for word in words if word[:1] == "-" and word[1:2] != "-" and len(word) > 2]
