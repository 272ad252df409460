"""What `printf` and `echo -e` print: escapes decoded, and the directives of a format filled in."""

from gatilho.shell.quotes import ansi_c

_MOST_PRINTED = 10_000


def unescaped_text(text: str) -> str:
    """Return a text with its backslash escapes decoded; a NUL (between names for `xargs -0`) becomes a line's end."""
    if "\\" not in text:
        return text
    text = text.replace("\\0", "\n") if "\\0" in text else text.replace("\\x00", "\n")
    return ansi_c(text.replace("'", "\\'"), 0)[0]


def printed(texts: list[str]) -> str:
    """Return what `printf FORMAT TEXT…` prints: the format again for as long as there are texts."""
    if not texts:
        return ""
    pieces = _pieces(unescaped_text(texts[0]))
    waiting = texts[1:]
    out: list[str] = []
    size = 0
    while size < _MOST_PRINTED:
        before = len(waiting)
        for piece in pieces:
            if piece == "%":
                out.append(waiting.pop(0) if waiting else "")
            else:
                out.append(piece)
            size += len(out[-1]) + 1
        if not waiting or len(waiting) == before:
            break
    return "".join(out)


def _pieces(form: str) -> list[str]:
    """Cut a format: a "%" stands for each directive, all else is printed as it is."""
    pieces: list[str] = []
    parts = form.split("%")
    pieces.append(parts[0])
    at = 1
    while at < len(parts):
        part = parts[at]
        if not part and at + 1 < len(parts):  # %% prints one
            pieces.append("%" + parts[at + 1] if parts[at + 1] else "% ")
            at += 2
            continue
        rest = part.lstrip("-+ #0123456789.*")
        pieces += ["%", rest[1:]]
        at += 1
    return pieces
