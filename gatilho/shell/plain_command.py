"""Shell commands so plain that the quiet path needs no reading of shell: words, and programs that only run or look.

A filter, not a reader: what the reader of shell finds in such a command is among what this gives, which a test holds.
"""

_SAFE_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-=:,@+% ")
# Between commands. A redirection is no plain command, but for the one that sends errors along.
_SEPARATORS = ("&&", "||", "|", ";")
_PROGRAMS = frozenset(
    ("awk", "cargo", "cat", "date", "df", "du", "echo", "false", "file", "go", "grep", "head", "ls", "make", "mypy",
     "node", "npm", "npx", "pip", "pnpm", "ps", "pwd", "pytest", "python", "python3", "rg", "ruff", "sleep", "sort",
     "stat", "tail", "test", "tree", "true", "uniq", "uv", "wc", "which", "yarn")
)  # fmt: skip


def plain_words(command: str) -> list[str] | None:
    """The words of a plain command, options' values as words of their own; None for a command that must be read."""
    words: list[str] = []
    for part in _parts(command.replace(" 2>&1", "")):
        found = part.split()
        if not found or found[0] not in _PROGRAMS or not _SAFE_LETTERS.issuperset(part):
            return None
        words += found
    return words + [word[word.index("=") + 1 :] for word in words if "=" in word]


def _parts(command: str) -> list[str]:
    for separator in _SEPARATORS:
        command = command.replace(separator, "\n")
    return command.split("\n")
