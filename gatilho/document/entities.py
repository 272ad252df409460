"""Entities as GitHub decodes them outside code: `&amp;`, `&#124;`, `&#x7c;`, always with their semicolon."""


def decode_entity(entity: str) -> str | None:
    """Decode `&name;`, `&#9;` or `&#x9;`; None if it is not one."""
    body = entity[1:-1]
    if body.startswith("#"):
        hexadecimal = body[1:2] in ("x", "X")
        digits = body[2:] if hexadecimal else body[1:]
        if not 1 <= len(digits) <= (6 if hexadecimal else 7) or not digits.isascii() or not digits.isalnum():
            return None
        return _character(digits, 16 if hexadecimal else 10)
    if not body.isascii() or not body.isalnum():
        return None
    from html.entities import html5

    return html5.get(body + ";")


def _character(digits: str, base: int) -> str | None:
    try:
        number = int(digits, base)
    except ValueError:
        return None
    if number == 0 or 0xD800 <= number < 0xE000 or number > 0x10FFFF:
        return "\ufffd"
    return chr(number)


def decode_entities(text: str) -> str:
    """Decode every entity in a text that is outside code."""
    pieces: list[str] = []
    place = 0
    while (start := text.find("&", place)) >= 0:
        end = text.find(";", start, start + 40)
        decoded = decode_entity(text[start : end + 1]) if end > 0 else None
        pieces.append(text[place:start] + (text[start] if decoded is None else decoded))
        place = start + 1 if decoded is None else end + 1
    return "".join(pieces) + text[place:]


def entities_in(text: str) -> list[tuple[str, str]]:
    """Return the entities in a text of code, where nothing is decoded, and the characters that they are elsewhere."""
    pieces = [piece.partition(";") for piece in text.split("&")[1:]]
    named = [f"&{name};" for name, end, _ in pieces if end and len(name) < 40]
    return [(name, char) for name in named if (char := decode_entity(name)) is not None]
