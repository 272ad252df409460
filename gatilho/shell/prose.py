"""Text that no shell runs: which arguments of known programs are prose or patterns, and a command line without them."""

from gatilho.shell.arguments import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int]
Blanks = dict[Span, str]
"""What is read in the place of a stretch of a text: mostly nothing, or a pair of quotes."""
Places = tuple[tuple[Blanks, Span], ...]
"""Where a text that a command is fed comes from, so that it is not blanked where it feeds a shell."""

# Programs all of whose operands are printed, logged, compared or looked up.
_SAYING = frozenset(
    ("echo", "printf", "print", "logger", "notify-send", "say", "espeak", "wall", "cowsay", "figlet", "toilet", ":",
     "true", "false", "test", "[", "[[", "locate", "plocate", "mlocate", "which", "whereis", "type", "command", "man",
     "apropos", "whatis", "info", "pgrep", "hash")
)  # fmt: skip
# Name: letters and long names of the options whose value is prose.
_MESSAGES: dict[str, tuple[str, str]] = {
    "commit": ("m", "message trailer"),
    "tag": ("m", "message"),
    "notes": ("m", "message"),
    "merge": ("m", "message"),
    "stash": ("m", "message"),
    "log": ("SG", "grep author"),
    "shortlog": ("", "grep author"),
    "rev-list": ("", "grep author"),
    "show": ("SG", "grep author"),
    "reflog": ("SG", "grep author"),
    "commit-tree": ("m", ""),
    "interpret-trailers": ("", "trailer"),
    "describe": ("m", "message"),
    "gh": ("tbn", "title body notes subject message description search"),
    "glab": ("tdmn", "title description message notes"),
    "hub": ("m", "message"),
    "hg": ("m", "message"),
    "svn": ("m", "message"),
    "jj": ("m", "message"),
    "tea": ("td", "title description"),
    "az": ("", "title description"),
    "aws": ("", "message description subject comment"),
    "gcloud": ("", "message description"),
    "fossil": ("m", "comment"),
    "sl": ("m", "message"),
    "npm": ("m", "message"),
    "docker": ("", "message"),
    "mail": ("s", "subject"),
    "mailx": ("s", "subject"),
    "mutt": ("s", ""),
    "read": ("p", ""),
    "curl": (
        "dFHAebu",
        "data data-raw data-binary data-urlencode data-ascii form form-string json header user-agent referer cookie",
    ),
    "wget": ("U", "post-data body-data header user-agent referer"),
    "http": ("", "raw"),
    "xh": ("", "raw"),
}
# Options with one hyphen whose value is a pattern of names.
_TESTS = frozenset(("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname"))
_FIELDS = ("body", "title", "message", "description", "notes", "subject", "text")
# Programs whose first operand is looked for, or is a program of their own language: letters of options with a value.
_SEARCHING = {
    "grep": ("efABCmdD", "e", "regexp"),
    "rg": ("efABCmgtTjMr", "e", "regexp"),
    "ag": ("ABCGm", "", ""),
    "ack": ("ABCm", "", "match"),
    "sed": ("ef", "e", "expression"),
    "awk": ("Ffvi", "", ""),
    "jq": ("fL", "", ""),
    "yq": ("", "", "expression"),
    "fd": ("etdEcj", "", ""),
    "fdfind": ("etdEcj", "", ""),
}
GIT_OPTIONS = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
"""Those in front of a subcommand of git that take the next word."""


def prose_in(name: str, arguments: list[Argument]) -> "Iterator[tuple[Argument, str]]":
    """Yield the arguments of a program (its own name left out) that are prose, each with what stays in front of it."""
    if name in _SAYING:
        for argument in arguments:
            # Up to three characters it is an option (`-n`, `-en`); what is longer is printed.
            if argument.approximate[:1] != "-" or len(argument.approximate) > 3:
                yield argument, ""
        return
    if name == "git":
        name, arguments = _git_command(arguments)
        if name == "grep":
            yield from _patterns(arguments, *_SEARCHING["grep"])
    elif name in _SEARCHING and (name != "sed" or not _edits(arguments)):
        yield from _patterns(arguments, *_SEARCHING[name])
    if name in _MESSAGES:
        yield from _messages(arguments, *_MESSAGES[name])
        if name in ("gh", "glab", "http", "xh"):
            yield from _fields(arguments)
            if arguments[:1] and arguments[0].approximate == "search":
                yield from ((argument, "") for argument in arguments[2:])
    if name == "find":
        for before, argument in zip(arguments, arguments[1:]):  # noqa: RUF007
            if before.approximate in _TESTS:
                yield argument, ""


def _edits(arguments: list[Argument]) -> bool:
    """Return whether sed changes files: then what it does to them is more than a search."""
    flags = [argument.approximate for argument in arguments if argument.approximate[:1] == "-"]
    return any(flag.startswith("--in-place") or (flag[1:2] != "-" and "i" in flag) for flag in flags)


def _git_command(arguments: list[Argument]) -> tuple[str, list[Argument]]:
    at = 0
    while at < len(arguments) and arguments[at].approximate.startswith("-"):
        at += 2 if arguments[at].approximate in GIT_OPTIONS else 1
    return (arguments[at].approximate, arguments[at + 1 :]) if at < len(arguments) else ("", [])


def _messages(arguments: list[Argument], short: str, long: str) -> "Iterator[tuple[Argument, str]]":
    names = long.split()
    for at, argument in enumerate(arguments):
        text = argument.approximate
        if text == "--":
            return
        if text.startswith("--"):
            name, equals, _ = text[2:].partition("=")
            if name in names:
                yield from [(argument, text[: len(name) + 3])] if equals else _next(arguments, at)
        elif text[:1] == "-" and len(text) > 1:
            # Letters may be joined, as in `-am 'text'`, and the value may be glued to the last.
            found = next((place for place, letter in enumerate(text[1:8], 1) if letter in short), 0)
            if found and text[1 : found + 1].isalpha():
                yield from [(argument, text[: found + 1])] if len(text) > found + 1 else _next(arguments, at)


def _next(arguments: list[Argument], at: int) -> list[tuple[Argument, str]]:
    return [(argument, "") for argument in arguments[at + 1 : at + 2]]


def _fields(arguments: list[Argument]) -> "Iterator[tuple[Argument, str]]":
    """Find `-f body=…` of `gh api`, and `body=…` of programs that send what they are given."""
    for before, argument in zip(arguments, arguments[1:]):  # noqa: RUF007
        name, equals, _ = argument.approximate.partition("=")
        named = before.approximate in ("-f", "-F", "--field", "--raw-field") or before.approximate[:1] != "-"
        if equals and named and name in _FIELDS:
            yield argument, name + "="


def _patterns(arguments: list[Argument], valued: str, short: str, long: str) -> "Iterator[tuple[Argument, str]]":
    """Find what is searched: the values of the option that gives a pattern, else the first operand."""
    given = list(_messages(arguments, short, long)) if short or long else []
    if given or any(argument.approximate in ("-f", "--file") for argument in arguments):
        yield from given
        return
    at = 0
    while at < len(arguments):
        text = arguments[at].approximate
        if text == "--":
            yield from _next(arguments, at)
            return
        if text[:1] != "-" or text == "-":
            yield arguments[at], ""
            return
        at += 2 if not text.startswith("--") and text[-1] in valued else 1


def blanked(text: str, blanks: Blanks, ordered: list[Span], start: int = 0, end: int | None = None) -> str:
    """Return a part of a text with the blanks in it filled in; ordered: their places by start, the longest first.

    A part that is one of the places itself stays, and a whole text does not: it may be one comment.
    """
    whole = end is None
    end = len(text) if end is None else end
    at, low, high = start, 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if ordered[middle][0] < start else (low, middle)
    pieces = []
    while low < len(ordered) and ordered[low][0] < end:
        first, behind = ordered[low]
        if first >= at and behind <= end and (whole or (first, behind) != (start, end)):
            pieces += [text[at:first], blanks[first, behind]]
            at = behind
        low += 1
    pieces.append(text[at:end])
    return "".join(pieces)


def ordered_spans(blanks: Blanks) -> list[Span]:
    """Return the places of blanks as `blanked` wants them."""
    return sorted(blanks, key=lambda span: (span[0], -span[1]))


def command_text(given: list[Argument], blanks: Blanks) -> str:
    """Return the arguments as one command: the program by its value, the rest as written, joined by blanks."""
    first = given[0].raw if given[0].text is None else given[0].text
    if not blanks:
        return " ".join([first, *[argument.raw for argument in given[1:] if argument.raw]])
    rest = [blanks.get(argument.span, argument.raw) if argument.span else argument.raw for argument in given[1:]]
    return " ".join([first, *[text for text in rest if text]])
