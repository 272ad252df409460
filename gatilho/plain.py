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
    *range(0xE0000, 0xE0080),
)
_MARKS: dict[int, str | None] = {**dict.fromkeys(_DROPPED), 0x2028: " ", 0x2029: " "}


def clean(text: str) -> str:
    """Return the text without what moves a cursor, reorders or hides.

    Line feeds and tabs stay, lone surrogates are U+FFFD.
    """
    if text.isprintable():
        return text
    if _ESCAPE in text or any("\x80" <= char <= "\x9f" for char in text):
        text = _without_sequences(text)
    return _without_surrogates(text.translate(_MARKS))


def clean_line(text: str) -> str:
    """Return the same on one line: line feeds and tabs become blanks."""
    return clean(text).replace("\n", " ").replace("\t", " ")


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
    """Return where the sequence that begins here ends: just after its introducer if it never does,
    so it hides no text.
    """
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


def _without_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text
