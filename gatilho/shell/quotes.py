"""Quotes and expansions of the shell: what `$'…'`, `${…}`, `$((…))` and a pair of backticks span and mean."""

NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
NAME = NAME_START | frozenset("0123456789")
_SPECIAL_PARAMETERS = frozenset("0123456789@*#?$!-")
_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_LONGEST_SUBSCRIPT = 20
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}


def parameter(text: str, at: int) -> tuple[str, str, int]:
    """Read the parameter after the `$` at `at`: its form ("name", "default", "cut", "unknown", "" for a bare `$`), its
    name, its end.

    Of the forms in braces only `${NAME}`, `${NAME[@]}` and one item of NAME are plain names. For `${NAME:-literal}` and
    its like the form is "default", and the name is followed by a blank and the literal text; so is it for "cut", by
    what is done to the value (`%.bak`, `/a/b`).
    """
    following = text[at + 1 : at + 2]
    if following in NAME_START:
        end = _behind_name(text, at + 2)
        return "name", text[at + 1 : end], end
    if following == "{":
        end = _behind_name(text, at + 2)
        name = text[at + 2 : end]
        if not name and text[end : end + 1] in ("@", "*"):  # `${@:2}` is some of them
            return "name", text[end], _behind_brace(text, end)
        if name and text[end : end + 1] == "}":
            return "name", name, end + 1
        closing = text.find("]}", end, end + _LONGEST_SUBSCRIPT) if name and text[end : end + 1] == "[" else 0
        if closing > 0:  # one of its items is any of them
            return "name", name, closing + 2
        behind = _behind_brace(text, end)
        if name and (default := _literal_default(text[end : behind - 1])) is not None:
            return "default", f"{name} {default}", behind
        if name and text[end : end + 1] in ("%", "#", "/") and not any(char in "$`\\'\"" for char in text[end:behind]):
            return "cut", f"{name} {text[end : behind - 1]}", behind
        return "unknown", "", behind
    if following in "0123456789@*" and following:
        return "name", following, at + 2
    if following in _SPECIAL_PARAMETERS:
        return "unknown", "", at + 2
    return "", "", at + 1


def _behind_name(text: str, at: int) -> int:
    while at < len(text) and text[at] in NAME:
        at += 1
    return at


def _literal_default(text: str) -> str | None:
    """Return what `:-text`, `-text`, `:=text` or `=text` gives, None where nothing literal is said."""
    text = text[1:] if text[:1] == ":" else text
    # `+` gives its text only where the variable is set, and `?` gives none.
    if text[:1] not in ("-", "=") or any(char in "$`\\" for char in text):
        return None
    text = text[1:]
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else None if "'" in text or '"' in text else text


def _behind_brace(text: str, at: int) -> int:
    depth = 1
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\":
            at += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                break
    return min(at, len(text))


def behind_arithmetic(text: str, marks: str, at: int) -> int:
    """Return the place after the `))` that closes the `((` whose second parenthesis is at `at`; 0 for other text.

    marks: a copy of the text with a NUL at each character with a meaning. At most 200 of them are looked at.
    """
    depth = 0
    # Bounded: on a line of `((` that never close, each would be searched to the end.
    for _ in range(200):
        at = marks.find("\0", at)
        if at < 0:
            return 0
        char = text[at]
        at += 1
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                return at + 1 if text[at : at + 1] == ")" else 0
    return 0


def behind_bracket(text: str, at: int) -> int:
    """Return the place after the `]` that closes the `[` in front of `at`."""
    depth = 1
    while at < len(text) and depth:
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        at += 1
    return at


def backticks(text: str, at: int) -> tuple[str, int]:
    """Return the command between the backtick at `at` and the next one that is not escaped, and the place after it."""
    end = text.find("`", at + 1)
    while end > 0 and text[end - 1] == "\\":
        end = text.find("`", end + 1)
    end = len(text) if end < 0 else end
    # Before the command is read, a backslash goes from these three and stays everywhere else.
    inner = text[at + 1 : end].replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\")
    return inner, min(end + 1, len(text))


def here_document(text: str, at: int, delimiter: str, tabs: bool, inside: bool) -> tuple[str, int, int]:
    """Return the body of the here-document that begins at a place, where it ends, and the place after its delimiter.

    tabs: those that lines begin with are left out. inside: of a substitution, whose `)` may follow the delimiter.
    """
    lines: list[str] = []
    # A delimiter that never comes makes all the rest the body, as in bash.
    while at < len(text):
        end = find_or_end(text, "\n", at)
        line = text[at:end].lstrip("\t") if tabs else text[at:end]
        if line == delimiter:
            return "\n".join(lines), at, min(end + 1, len(text))
        if inside and line.startswith(delimiter + ")"):
            return "\n".join(lines), at, text.index(delimiter, at) + len(delimiter)
        lines.append(line)
        at = min(end + 1, len(text))
    return "\n".join(lines), at, at


def find_or_end(text: str, mark: str, at: int) -> int:
    """Return where a mark is, at or after a place; the end of the text where it is missing."""
    found = text.find(mark, at)
    return len(text) if found < 0 else found


def ansi_c(text: str, at: int) -> tuple[str, int]:
    """Return the value of a `$'…'` whose content begins at `at`, and the place after it.

    Its backslashes are those of C.
    """
    pieces = []
    while at < len(text) and text[at] != "'":
        if text[at] == "\\":
            piece, at = _escape(text, at + 1)
        else:
            piece, at = text[at], at + 1
        pieces.append(piece)
    return "".join(pieces).replace("\0", ""), min(at + 1, len(text))


def _escape(text: str, at: int) -> tuple[str, int]:
    letter = text[at : at + 1]
    if letter in _HEX_DIGITS:
        return _number(text, at + 1, _HEX_DIGITS[letter], "0123456789abcdefABCDEF", "\\" + letter)
    if letter and letter in "01234567":
        return _number(text, at, 3, "01234567", "")
    if letter == "c":
        return chr(ord(text[at + 1 : at + 2] or "@") & 31), at + 2
    return _ESCAPES.get(letter, "\\" + letter), at + 1


def _number(text: str, at: int, most: int, digits: str, otherwise: str) -> tuple[str, int]:
    end = at
    while end < at + most and text[end : end + 1] and text[end] in digits:
        end += 1
    if end == at:
        return otherwise, at
    code = int(text[at:end], 8 if len(digits) == 8 else 16)
    return (chr(code) if code < 0x110000 else ""), end


def unescape(pattern: str) -> str:
    """Return the text that a pattern without wildcards stands for."""
    if "\\" not in pattern:
        return pattern
    pieces = pattern.split("\\")
    out = [pieces[0]]
    at = 1
    while at < len(pieces):
        # An empty piece is a backslash that was itself escaped: the piece after it is plain text again.
        if not pieces[at] and at + 1 < len(pieces):
            out.append("\\" + pieces[at + 1])
            at += 2
        else:
            out.append(pieces[at])
            at += 1
    return "".join(out)
