"""Reading a pattern as the `regex` package does, for the texts that it demands of every match.

Where a construct leaves any doubt the reading stops: a promise less costs time, a wrong one would silence a row.
"""

from gatilho.triggers.runs import ANYTHING, CASED_BEYOND_ASCII, NOTHING, either, join, repeat

_SPECIAL = frozenset("()|?*+{^$.[\\")
_QUANTIFIERS = frozenset("?*+{")
# A parenthesis may open flags or a comment, and a quantifier after those repeats what is before them.
_BEFORE_QUANTIFIERS = frozenset("?*+{(")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS = frozenset("0123456789")
_ALNUM = _LETTERS | _DIGITS
_OCTAL = frozenset("01234567")
_HEX = frozenset("0123456789abcdefABCDEF")
_HEX_LENGTHS = {"x": 2, "u": 4, "U": 8}
_CONTROL = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ZERO_WIDTH = frozenset("ABGKbmMzZ")
_CLASSES = frozenset("dDhsSwWRX")
_CLASSES_OF_ONE_LETTER = frozenset("CLMNPSZ")
_NAMED_PART = _ALNUM | frozenset(" -")
_PROPERTY_PART = _ALNUM | frozenset(" &_-.")
_FUZZY_START = _DIGITS | frozenset("deis")
_NAME_PART = _ALNUM | frozenset("_")
_FLAGS_ON = frozenset("imsau")
_FLAGS_OFF = frozenset("ims")

_DEEPEST_GROUP = 40
# Reading takes quadratic time, and the engine is not given longer patterns either.
_LONGEST_PATTERN = 4_000


class InDoubt(Exception):
    """The pattern is invalid or holds something about which no promise is made."""


def read_runs(pattern: str) -> tuple[list[str], bool]:
    """Read the runs of a pattern, and whether any of it ignores case; raise InDoubt when nothing can be promised.

    Where case is ignored, only letters whose case variants are ASCII are in the runs, in the case of the pattern.
    """
    if len(pattern) > _LONGEST_PATTERN:
        raise InDoubt
    reader = _Reader(pattern)
    runs = reader.read_branches()
    if reader.position != len(pattern):
        raise InDoubt
    return runs, reader.ever_folded


class _Reader:
    """Reads a pattern as the engine does, as far as promises need it; raises InDoubt for the rest."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self.depth = 0
        self.folding = False
        self.ever_folded = False

    def _peek(self) -> str:
        return self.pattern[self.position : self.position + 1]

    def _take(self, text: str) -> bool:
        found = self.pattern.startswith(text, self.position)
        if found:
            self.position += len(text)
        return found

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise InDoubt

    def _take_while(self, allowed: frozenset[str], most: int = 1 << 30) -> str:
        start = self.position
        end = min(len(self.pattern), start + most)
        while self.position < end and self.pattern[self.position] in allowed:
            self.position += 1
        return self.pattern[start : self.position]

    def read_branches(self) -> list[str]:
        branches = [self._read_sequence()]
        while self._take("|"):
            branches.append(self._read_sequence())
        return either(branches)

    def _read_sequence(self) -> list[str]:
        done = NOTHING
        # The part that a quantifier would repeat; None where one would be an error.
        last: list[str] | None = None
        while (character := self._peek()) and character not in ")|":
            if character in _QUANTIFIERS:
                counts = self._read_quantifier()
                if counts:
                    if last is None:
                        raise InDoubt
                    done, last = join(done, repeat(last, *counts)), None
                    continue
            element = self._read_element() if character in _SPECIAL else self._read_literals()
            # Inline flags and comments are no elements: a quantifier after them repeats what is before them.
            if element is not None:
                if last is not None:
                    done = join(done, last)
                last = element
        return done if last is None else join(done, last)

    def _read_quantifier(self) -> tuple[int, int | None] | None:
        """Return the least and most of the quantifier here, with its lazy or possessive mark; None for a brace."""
        counts = self._read_counts()
        if counts and not self._take("?"):
            self._take("+")
        return counts

    def _read_counts(self) -> tuple[int, int | None] | None:
        if self._take("?"):
            return 0, 1
        if self._take("*"):
            return 0, None
        if self._take("+"):
            return 1, None
        start = self.position
        self._expect("{")
        least = self._take_while(_DIGITS, 9)
        comma = self._take(",")
        most = self._take_while(_DIGITS, 9) if comma else least
        if (least or comma) and self._take("}"):
            return int(least or 0), int(most) if most else None
        self.position = start
        # What is left may be a fuzzy constraint, which makes every literal optional.
        if self.pattern[start + 1 : start + 2] in _FUZZY_START or comma:
            raise InDoubt
        return None

    def _read_element(self) -> list[str] | None:
        character = self.pattern[self.position]
        self.position += 1
        if character == "\\":
            return self._read_escape()
        if character == "(":
            return self._read_parenthesis()
        if character == "[":
            return self._read_set()
        if character == ".":
            return ANYTHING
        return NOTHING if character in "^$" else self._literal(character)

    def _read_literals(self) -> list[str]:
        """Return as many ordinary characters as are here; of several, one that may be repeated is left alone."""
        pattern, start = self.pattern, self.position
        end = start + 1
        while end < len(pattern) and pattern[end] not in _SPECIAL:
            end += 1
        if end - start > 1 and pattern[end : end + 1] in _BEFORE_QUANTIFIERS:
            end -= 1
        self.position = end
        if not self.folding:
            return [pattern[start:end]]
        runs = NOTHING
        for character in pattern[start:end]:
            runs = join(runs, self._literal(character))
        return runs

    def _literal(self, character: str) -> list[str]:
        # Under `i` these may match another character, which lowering A to Z does not make the same.
        if self.folding and (character in CASED_BEYOND_ASCII or not character.isascii()):
            return ANYTHING
        return [character]

    def _read_escape(self) -> list[str]:
        character = self._peek()
        self.position += 1
        if character not in _ALNUM:
            if not character:
                raise InDoubt
            return self._literal(character)
        if character in _ZERO_WIDTH:
            return NOTHING
        if character in _CLASSES:
            return ANYTHING
        if character in _CONTROL:
            return [_CONTROL[character]]
        if character in _HEX_LENGTHS:
            return self._read_hex(_HEX_LENGTHS[character])
        if character in "pP":
            return self._read_property(character)
        if character == "N":
            return self._read_named_character()
        if character in _DIGITS:
            return self._read_number(character)
        raise InDoubt

    def _read_hex(self, length: int) -> list[str]:
        digits = self._take_while(_HEX, length)
        if len(digits) < length or int(digits, 16) > 0x10FFFF:
            raise InDoubt
        return self._literal(chr(int(digits, 16)))

    def _read_named_character(self) -> list[str]:
        if self._peek() != "{":
            return self._literal("N")
        self.position += 1
        self._take_while(_NAMED_PART)
        self._expect("}")
        return ANYTHING

    def _read_property(self, character: str) -> list[str]:
        if not self._take("{"):
            if self._peek() not in _CLASSES_OF_ONE_LETTER:
                return self._literal(character)
            self.position += 1
            return ANYTHING
        self._take("^")
        self._take_while(_PROPERTY_PART)
        if self._take(":") or self._take("="):
            self._take_while(_PROPERTY_PART)
        self._expect("}")
        return ANYTHING

    def _read_number(self, first: str) -> list[str]:
        """Return an octal escape or a reference to a group, with as many digits as the engine takes for it."""
        if first == "0":
            self._take_while(_OCTAL, 2)
            return ANYTHING
        digits = first + self._take_while(_DIGITS, 1)
        if len(digits) == 2 and _OCTAL.issuperset(digits):
            self._take_while(_OCTAL, 1)
        return ANYTHING

    def _read_set(self) -> list[str]:
        """Return a set of characters; one of a single plain character is a literal."""
        single = self.pattern[self.position : self.position + 2]
        if len(single) == 2 and single[1] == "]" and single[0] not in "]^\\[":
            self.position += 2
            return self._literal(single[0])
        self._take("^")
        # In the first place a `]` is a member of the set.
        at_start = True
        while at_start or self._peek() != "]":
            character = self._peek()
            if not character or self.pattern.startswith("[:", self.position):
                self._read_posix_class()
            else:
                self.position += 2 if character == "\\" else 1
            at_start = False
        self.position += 1
        return ANYTHING

    def _read_posix_class(self) -> None:
        self._expect("[:")
        self._take("^")
        if not self._take_while(_LETTERS):
            raise InDoubt
        self._expect(":]")

    def _read_parenthesis(self) -> list[str] | None:
        if self._take("?#"):
            self._skip_comment()
            return None
        # Verbs such as `(*SKIP)` steer the search itself, which no run shows.
        if self._peek() == "*":
            raise InDoubt
        if not self._take("?"):
            return self._read_group()
        # A negative one forbids its text; a positive one may see the same text as what comes after it.
        for opening in ("=", "!", "<=", "<!"):
            if self._take(opening):
                self._read_group()
                return NOTHING
        if self._take(":") or self._take(">"):
            return self._read_group()
        if self._take("P<") or self._take("<"):
            self._skip_name(">")
            return self._read_group()
        if self._take("P=") or self._take("P>") or self._take("P&") or self._take("&"):
            self._skip_name(")")
            return ANYTHING
        return self._read_call() or self._read_flags()

    def _skip_comment(self) -> None:
        while (character := self._peek()) != ")":
            if not character:
                raise InDoubt
            self.position += 2 if character == "\\" else 1
        self.position += 1

    def _skip_name(self, end: str) -> None:
        self._take_while(_NAME_PART)
        self._expect(end)

    def _read_call(self) -> list[str] | None:
        """Return a call of a group, `(?R)`, `(?1)` or `(?+1)`; None when it is not one."""
        start = self.position
        if not self._take("R"):
            # `(?-1)` is a call, but `(?-i)` takes a flag away: without digits it is read again as flags.
            if not self._take("+"):
                self._take("-")
            if not self._take_while(_DIGITS):
                self.position = start
                return None
        self._expect(")")
        return ANYTHING

    def _read_flags(self) -> list[str] | None:
        """Read inline flags, to the end of the enclosing group (None) or with a group of their own.

        Verbose mode, full case folding, the newer version and the fuzzy and reverse searches are left to the engine,
        and so is what begins like a flag and is not one: conditionals and branch resets.
        """
        on = self._take_while(_FLAGS_ON)
        off = self._take_while(_FLAGS_OFF) if self._take("-") else ""
        before = self.folding
        self.folding = ("i" in on or before) and "i" not in off
        self.ever_folded = self.ever_folded or self.folding
        if (on or off) and self._take(")"):
            return None
        self._expect(":")
        runs = self._read_group()
        self.folding = before
        return runs

    def _read_group(self) -> list[str]:
        """Return the rest of a group to its parenthesis; flags that were set in it end with it."""
        before = self.folding
        self.depth += 1
        if self.depth > _DEEPEST_GROUP:
            raise InDoubt
        runs = self.read_branches()
        self._expect(")")
        self.depth -= 1
        self.folding = before
        return runs
