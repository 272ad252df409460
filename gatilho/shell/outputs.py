"""What is known without running anything: the output of some commands, and folders that only the machine knows.

A folder that is known by its meaning alone is written as a marked text: FOLDER, what it is, FOLDER. What it is: the
folder whose repository's root is meant, or `$` and the name of a variable that a host sets.
"""

FOLDER = "\x03"
LONGEST = 200
# Variables in which hosts name the folder that a session began in.
PROJECT_VARIABLES = (
    "CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "FACTORY_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR",
)  # fmt: skip
_ROOT = ("git rev-parse --show-toplevel", "git rev-parse --show-cdup")
_GIT_FOLDER = ("git rev-parse --git-dir", "git rev-parse --absolute-git-dir", "git rev-parse --git-common-dir")
_HERE = ("pwd", "pwd -P", "pwd -L", "echo $PWD", "realpath .", "readlink -f .")


def output_of(command: str, here: str) -> str | None:
    """Return what a command prints as a marked text, None where that is not known; here: what `$PWD` gives."""
    command = " ".join(command.split()).replace(" 2>/dev/null", "").replace(" 2> /dev/null", "")
    command = command.partition(" || ")[0].replace('"', "").strip()
    if command in _ROOT:
        return root_of(here)
    if command in _GIT_FOLDER:
        return root_of(here) + "/.git"
    if command in _HERE:
        return here
    program, _, text = command.partition(" ")
    if program in ("which", "command", "type", "whence"):
        name = text.removeprefix("-v ").removeprefix("-p ").removeprefix("-P ")
        return name if _is_plain(name) else None
    if program in ("dirname", "basename") and _is_plain(text):
        folder, _, name = text.rstrip("/").rpartition("/")
        return name if program == "basename" else folder or "."
    if program in ("echo", "realpath", "printf") and _is_plain(text):
        return text
    return None


def _is_plain(text: str) -> bool:
    return bool(text) and text[0] != "-" and all(char.isalnum() or char in "/._-" for char in text)


def root_of(here: str) -> str:
    """Return the marked text of the root of the repository that holds a folder."""
    if here.startswith(FOLDER):
        return here[: here.find(FOLDER, 1) + 1]
    return FOLDER + here.lstrip("\x02") + FOLDER


def split_folder(path: str) -> tuple[str, str] | None:
    """Return what the folder at the beginning of a path is, and the rest of the path; None for a path without one."""
    if not path.startswith(FOLDER):
        return None
    end = path.find(FOLDER, 1)
    return (path[1:end], path[end + 1 :]) if end > 0 else None
