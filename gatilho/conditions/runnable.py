"""Whether a text can be the command of a condition at all."""

RUNS_GATILHO = "it runs gatilho itself, which would evaluate the condition again"

# Commands of ours that only read (check, list, show …) evaluate no command, so they are fine.
_REFUSED = frozenset(
    ("hook", "settle", "replay", "init", "uninstall", "add", "pay", "reinstate", "waive", "revoke", "expire", "set",
     "rename", "allow", "supersede", "remember", "import", "resolve", "fold", "doctor")
)  # fmt: skip
# Bytes of one argument that Linux takes, less its final NUL.
_LONGEST = 131_071
_QUOTES = dict.fromkeys(map(ord, "'\"\\"))
_ENDS = dict.fromkeys(map(ord, "`$()[]{},;|&<>\n\t"), " ; ")


def why_impossible(text: str) -> str:
    """Return what keeps a text from being a command of a condition, "" for nothing."""
    if "\0" in text:
        return "it contains a NUL character, which no shell takes"
    if len(text.encode("utf-8", "surrogatepass")) > _LONGEST:
        return f"it is longer than {_LONGEST:,} bytes, which no shell takes"
    return RUNS_GATILHO if runs_gatilho(text) else ""


def runs_gatilho(command: str) -> bool:
    """Return whether a shell text seems to run gatilho's hooks, `settle`, or another command of it that writes.

    What hides deeper (in a script, a Makefile) is refused when it starts, for its environment says where it runs.
    """
    if _seems_to_run_gatilho(command):
        return True
    if "$" not in command and "`" not in command:
        return False
    # A name that is put together, as in `g=gatilho; $g settle`, is known to the reader of shell.
    from gatilho.shell.command_line import read_command

    return any(_seems_to_run_gatilho(" ".join(call)) for call in read_command(command).calls)


def _seems_to_run_gatilho(command: str) -> bool:
    words = command.translate({**_QUOTES, **_ENDS}).split()
    for at, word in enumerate(words):
        before = words[at - 1].rsplit("/", 1)[-1] if at else ";"
        name = word.rsplit("/", 1)[-1]
        following = words[at + 3 :] if words[at + 1 : at + 2] == ["--root"] else words[at + 1 :]
        verb = next((one for one in following if not one.startswith("-")), "")
        if name == "gatilho.py" and (before in (";", "exec", "-S", "-I") or before.startswith("py")):
            return True
        if name in ("gatilho", "gatilho.exe", "-mgatilho") and verb in _REFUSED:
            return True
    return False
