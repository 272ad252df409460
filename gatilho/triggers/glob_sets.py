"""Sets of characters in globs, as git reads them: `[ab]`, `[!a-z]`, `[[:alpha:]_]`; for triggers and conditions."""

from gatilho.errors import DocumentError
from gatilho.value import Value

_CLASSES = {
    "alnum": ("09", "AZ", "az"),
    "alpha": ("AZ", "az"),
    "blank": ("  ", "\t\t"),
    "cntrl": ("\x00\x1f", "\x7f\x7f"),
    "digit": ("09",),
    "graph": ("\x21\x7e",),
    "lower": ("az",),
    "print": ("\x20\x7e",),
    "punct": ("\x21\x2f", "\x3a\x40", "\x5b\x60", "\x7b\x7e"),
    "space": ("  ", "\t\r"),
    "upper": ("AZ",),
    "xdigit": ("09", "AF", "af"),
}


class CharacterSet(Value):
    """One set: ranges of characters, each its first and its last as a text, or all but these."""

    ranges: list[str]
    negated: bool = False

    def takes(self, character: str) -> bool:
        """Return whether a character is in the set; a slash never is."""
        return character != "/" and any(one[0] <= character <= one[1] for one in self.ranges) != self.negated

    def as_regex(self) -> str:
        """Spell the set for the `regex` engine."""
        members = ("-".join(map(_spell, dict.fromkeys(one))) for one in self.ranges)
        return f"(?!/)[{'^' if self.negated else ''}{''.join(members)}]"


def read_set(glob: str, start: int) -> tuple[CharacterSet, int]:
    """Read the set after the bracket at `start`; also return where it ends. Raises DocumentError for none."""
    position = start
    negated = glob.startswith(("!", "^"), position)
    position += negated
    ranges: list[str] = []
    while not ranges or not glob.startswith("]", position):
        members, position = _read_member(glob, position)
        ranges += members
    return CharacterSet(ranges, negated), position + 1


def problem_in_sets(glob: str) -> str:
    """Say what is wrong with the sets of a glob, "" for nothing."""
    position = 0
    try:
        while position < len(glob):
            if glob[position] == "[":
                _, position = read_set(glob, position + 1)
            else:
                position += 2 if glob[position] == "\\" else 1
    except DocumentError as error:
        return str(error)
    return ""


def _read_member(glob: str, position: int) -> tuple[tuple[str, ...], int]:
    """Read one member of a set, a class, a range or a character, as ranges; and where it ends."""
    if glob.startswith("[:", position):
        end = glob.find(":]", position)
        name = glob[position + 2 : end]
        if end < 0 or name not in _CLASSES:
            raise DocumentError(f"the glob `{glob}` names no known class after `[:`; one is `[[:alnum:]]`")
        return _CLASSES[name], end + 2
    low, position = _read_character(glob, position)
    if not glob.startswith("-", position) or glob.startswith("-]", position):
        return (low + low,), position
    high, position = _read_character(glob, position + 1)
    # Of a range that runs backwards git takes the first character.
    return (low + (high if low <= high else low),), position


def _read_character(glob: str, position: int) -> tuple[str, int]:
    position += glob.startswith("\\", position)
    if position >= len(glob):
        raise DocumentError(f"the glob `{glob}` has an open `[`; close it, or write `\\[` for the character")
    if glob[position] == "/":
        raise DocumentError(f"the glob `{glob}` has a slash in a set; a set matches within one part of a path")
    return glob[position], position + 1


def _spell(character: str) -> str:
    if character.isalnum():
        return character
    return f"\\x{ord(character):02x}" if not character.isprintable() and character.isascii() else f"\\{character}"
