"""What a shell command line is cut into: words and simple commands, and the state of one open bracket."""


class Word:
    """A word as written. parts: (kind, text) pairs, where kind says how the shell treats that piece.

    "u" plain text, "q" quoted text, "V" a variable's name, "v" the same in double quotes, "d" a variable's name and
    what it is where unset, "c" one and what is cut off or replaced in it, "?" a substitution with the command in it
    ("" for what cannot be known), "a" the words of an array.
    """

    __slots__ = ("parts", "start", "end", "quoted")

    def __init__(self, start: int) -> None:
        self.parts: list[tuple[str, object]] = []
        self.start = start
        self.end = start
        self.quoted = False

    def bare(self) -> str:
        """Return the text where nothing in it is quoted or expanded, else ""."""
        if self.quoted or not self.parts:
            return ""
        # Most words are one piece, and this is asked of every word.
        if len(self.parts) == 1:
            kind, text = self.parts[0]
            return str(text) if kind == "u" else ""
        return "".join(str(text) for _, text in self.parts) if all(kind == "u" for kind, _ in self.parts) else ""


class Simple:
    """One simple command: its words, its redirections as (operator, word), its here-documents.

    A here-document is (body, whether it expands, where its text begins, where it ends).
    """

    __slots__ = ("words", "redirects", "bodies", "keyword", "start", "end")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.redirects: list[tuple[str, Word]] = []
        self.bodies: list[tuple[str, bool, int, int]] = []
        self.keyword = ""
        self.start = -1
        self.end = -1


class OpenBracket:
    """What is open at one level of parentheses."""

    __slots__ = (
        "kind", "start", "word", "simple", "redirect", "compounds", "opened", "loop", "in_quotes", "document",
        "pattern", "test", "function", "defines",
    )  # fmt: skip

    def __init__(self, kind: str, start: int = 0) -> None:
        self.kind = kind
        self.start = start
        self.word: Word | None = None
        self.simple = Simple()
        self.redirect = ""
        self.compounds: list[str] = []
        # Where in the events and in the text each of them began, with the name of the function that it is the body of;
        # and where the loop that has just ended began and ended.
        self.opened: list[tuple[int, int, str]] = []
        self.loop: tuple[int, int] | None = None
        self.in_quotes = False
        self.document = False  # the text of a here-document: quotes mean nothing, substitutions do
        self.pattern = False  # where `case` has a pattern next, in which `)` closes no bracket
        self.test = False  # inside `[[`, where `<` and `(` are no operators
        self.function = ""  # the name of the one whose body comes next
        self.defines = ""  # the name of the one whose body this bracket is

    def word_at(self, at: int) -> Word:
        if self.word is None:
            self.word = Word(at)
        return self.word

    def take(self, at: int, kind: str, text: object) -> None:
        self.word_at(at).parts.append((kind, text))
