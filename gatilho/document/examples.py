"""Examples of a row: what its triggers match and what they do not, as their author writes them."""

from gatilho.model import Value

_ANSWERS = {"yes": True, "sim": True, "no": False, "não": False, "na\u0303o": False, "nao": False}
# Before what is no path.
_FIELDS = {"cmd": "cmd", "prompt": "prompt"}
FORMS = "`yes: PATH`, `no: PATH`, `yes: cmd COMMAND` or `yes: prompt TEXT`"


class Example(Value):
    """One example. speaks: whether the row does. field: "path", "cmd" or "prompt"; text: what is after it."""

    speaks: bool
    field: str
    text: str
    span: str


def parse_example(span: str) -> Example | None:
    """Parse a code span; None where it is no example."""
    answer, colon, rest = span.partition(":")
    speaks = _ANSWERS.get(answer.strip().casefold())
    text = rest.strip()
    if not colon or speaks is None or not text:
        return None
    word, _, after = text.partition(" ")
    field = _FIELDS.get(word.removesuffix(":"), "")
    return (
        Example(speaks, field, after.strip(), span) if field and after.strip() else Example(speaks, "path", text, span)
    )
