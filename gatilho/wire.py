"""What a hook reads and writes: JSON without the `json` package, whose import costs as much as an interpreter.

The C scanner below `json` reads the event on every path; where an interpreter lacks it, `json` replaces it.
"""

from _imp import source_hash


class _Strictness:
    """What the C scanner reads its settings from: control characters inside strings are let through."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


try:
    from _json import encode_basestring_ascii as _quoted
    from _json import make_scanner

    _scan = make_scanner(_Strictness)  # type: ignore[arg-type]
except ImportError:  # an interpreter without the C accelerator
    import json

    _quoted = json.dumps
    _scan = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]

_BLANKS = " \t\r\n"
# Pipes through several programs put a mark before each part; sequences of JSON texts begin each with a separator.
_LEADING = _BLANKS + "\ufeff\x1e\0"


def decode(data: bytes) -> object:
    """Return the JSON value in UTF-8 or UTF-16 bytes, with or without byte order marks; raises ValueError for others.

    Bytes that are no UTF-8 become lone surrogates, as in Python's file names, so that such a path still meets its file.
    """
    text = data.decode(_encoding_of(data), "surrogateescape")
    start = len(text) - len(text.lstrip(_LEADING))
    try:
        value, end = _scan(text, start)
    except StopIteration as stop:
        raise ValueError(f"no JSON value at character {stop.value}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except SystemError:  # the scanner names its error through `json.decoder`, which is not imported here
        raise ValueError("malformed JSON") from None
    if text[end:].strip(_BLANKS + "\0"):
        raise ValueError(f"more text after the JSON value, at character {end}")
    return value


def _encoding_of(data: bytes) -> str:
    """Return the encoding of JSON: a shell of Windows may write UTF-16, in which each ASCII letter has a NUL."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    return {b"{\0": "utf-16-le", b"\0{": "utf-16-be"}.get(data[:2] if data[2:4].count(0) == 1 else b"", "utf-8")


def is_whole(data: bytes) -> bool:
    """Return whether the bytes are one whole JSON object."""
    if not data.rstrip(b" \t\r\n\0").endswith(b"}"):
        return False
    try:
        decode(data)
    except ValueError:
        return False
    return True


def encode(value: object) -> str:
    """Return the value (dicts with text keys, lists, texts, whole numbers, booleans, None) as a line of ASCII JSON."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(key)}: {encode(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(encode(item) for item in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"cannot encode {type(value).__name__}")


def checksum(data: "bytes | memoryview") -> str:
    """Return 16 hexadecimal digits that change with the bytes: the hash by which Python knows its sources.

    It is built into the interpreter, where `zlib` is a shared library that takes longer to load than the file to check.
    """
    return source_hash(0, data).hex()
