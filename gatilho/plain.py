"""Text that may leave the tool: no terminal escapes, control characters, bidirectional overrides or invisible tags."""

_ESCAPE = "\x1b"
_STRING_INTRODUCERS = "PX]^_"  # after ESC: device control, start of string, system command, privacy, application
_C1_STRINGS = "\x90\x98\x9d\x9e\x9f"
_C1_CSI = "\x9b"

# Overrides and isolates reorder what a reviewer sees; the tag block (U+E0000-E007F) is read by models, seen by no one.
_DROPPED = (
    *range(0x09),
    *range(0x0B, 0x20),
    *range(0x7F, 0xA0),
    0x061C,
    0x200E,
    0x200F,
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    # What has no width and joins nothing carries text that only a model reads, as do the selectors at the end.
    0x034F,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    0x180E,
    0x200B,
    *range(0x2060, 0x2066),
    *range(0x206A, 0x2070),
    0x3164,
    0xFEFF,
    0xFFA0,
    *range(0xFFF9, 0xFFFC),
    *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),
)
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))
# Of these, one between two characters that it joins, or after one that it selects a form of, is ordinary writing.
_JOINING = _SELECTORS | {_ZWNJ, _ZWJ}
_UNSEEN = _JOINING | frozenset(map(chr, _DROPPED))
_KEYCAPS = "0123456789#*"
_MARKS: dict[int, str | None] = {**dict.fromkeys(_DROPPED), 0x2028: " ", 0x2029: " "}


def clean(text: str) -> str:
    """Return the text without what moves a cursor, reorders or hides; line feeds and tabs stay, lone surrogates go."""
    if (text.isascii() and text.isprintable()) or (text.isprintable() and _UNSEEN.isdisjoint(text)):
        return text
    if _ESCAPE in text or any("\x80" <= char <= "\x9f" for char in text):
        text = _without_sequences(text)
    text = text.translate(_MARKS)
    return _without_surrogates(text if _JOINING.isdisjoint(text) else _without_runs(text))


def for_agent(text: str) -> str:
    """Return the clean text without what imitates a host's own markup: `</x>`, `<system-reminder>`, `<|x|>`.

    Its `<` becomes a sign that no host reads as the beginning of a tag; other uses of it stay.
    """
    text = clean(text)
    if "<" not in text:
        return text
    kept, at = [], 0
    while (start := text.find("<", at)) >= 0:
        kept += [text[at:start], "\u2039" if _imitates(text, start + 1) else "<"]
        at = start + 1
    return "".join([*kept, text[at:]])


# Names of tags in which hosts wrap what is not the project's text, besides all with a hyphen or an underscore.
_OF_HOSTS = frozenset(
    ("system", "user", "assistant", "human", "developer", "tool", "function", "invoke", "parameter", "result",
     "results", "instructions", "important", "reminder", "context", "thinking", "antml")
)  # fmt: skip


def _imitates(text: str, at: int) -> bool:
    """Return whether what follows a `<` reads as a tag of a host's, or as the end of any tag."""
    rest = text[at : at + 80].lstrip()
    if rest[:1] in ("/", "|"):
        return True
    name = ""
    for letter in rest:
        if not (letter.isalnum() or letter in "-_:"):
            break
        name += letter
    return name[:1].isalpha() and (name.split(":")[0].lower() in _OF_HOSTS or any(sign in name for sign in "-_:"))


def clean_line(text: str) -> str:
    """Return the same on one line: line feeds and tabs become blanks."""
    return clean(text).replace("\n", " ").replace("\t", " ")


def shortened(text: str, most: int) -> str:
    """Return the same in at most that many characters."""
    line = clean_line(text)
    return line if len(line) <= most else line[: most - 1] + "…"


def to_do(remedy: str) -> str:
    """Return a remedy as the sentence after its problem's."""
    return f"D{remedy[1:]}" if remedy.startswith("did you mean") else f"To do: {remedy}"


def shell_word(text: str) -> str:
    """Return a clean text as one word of a shell: an id or a path in a command that a person copies."""
    text = clean_line(text).strip()
    bare = text.replace("-", "").replace("_", "").replace(".", "").replace("/", "")
    return text if bare.isalnum() and bare.isascii() else "'" + text.replace("'", "'\\''") + "'"


def with_article(noun: str) -> str:
    """Return a noun after its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def counted(count: int, noun: str) -> str:
    """Return the count with its noun, in the plural unless it is one."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_of(names: list[str], most: int) -> str:
    """Return the first names with commas between them, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _without_sequences(text: str) -> str:
    kept: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == _ESCAPE or "\x80" <= text[at] <= "\x9f":
            at = _sequence_end(text, at)
        else:
            kept.append(text[at])
            at += 1
    return "".join(kept)


def _sequence_end(text: str, at: int) -> int:
    """Return where the sequence here ends: after its introducer if it never does, so that it hides no text."""
    if text[at] != _ESCAPE:
        if text[at] == _C1_CSI:
            return _control_end(text, at + 1)
        return _string_end(text, at + 1) if text[at] in _C1_STRINGS else at + 1
    following = text[at + 1 : at + 2]
    if following == "[":
        return _control_end(text, at + 2)
    if following and following in _STRING_INTRODUCERS:
        return _string_end(text, at + 2)
    return _short_end(text, at + 1)


def _control_end(text: str, at: int) -> int:
    """Return the place after the parameters, intermediates and final character of a control sequence (ECMA-48, 5.4)."""
    end = at
    while end < len(text) and " " <= text[end] <= "?":
        end += 1
    return end + 1 if end < len(text) and "@" <= text[end] <= "~" else at


def _string_end(text: str, at: int) -> int:
    """Return the place after the terminator of a control string: BEL or ST, before any other control character."""
    end = at
    while end < len(text) and text[end] >= " " and not "\x7f" <= text[end] <= "\x9f":
        end += 1
    if text[end : end + 1] in ("\x07", "\x9c"):
        return end + 1
    return end + 2 if text[end : end + 2] == "\x1b\\" else at


def _short_end(text: str, at: int) -> int:
    """Return the place after the intermediates and the final character of a short escape such as `ESC ( B`."""
    end = at
    while end < len(text) and " " <= text[end] <= "/":
        end += 1
    return end + 1 if end < len(text) and "0" <= text[end] <= "~" else at


def _without_runs(text: str) -> str:
    """Return the text with joiners and selectors only where they join or select something."""
    kept: list[str] = []
    for at, letter in enumerate(text):
        if letter in _JOINING:
            before = kept[-1] if kept else " "
            if letter in _SELECTORS:
                is_used = before not in _JOINING and (not before.isascii() or before in _KEYCAPS)
            else:
                after = text[at + 1 : at + 2]
                joins = bool(after) and not after.isascii() and after not in _JOINING
                is_used = joins and not before.isascii() and before not in (_ZWJ, _ZWNJ)
            if not is_used:
                continue
        kept.append(letter)
    return "".join(kept)


def _without_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text
