"""One thing that the doctor looked at, what it found, and what fixes it."""

from collections.abc import Callable

from gatilho.model import Value

OK, NOTE, WRONG = "ok", "note", "wrong"


class Finding(Value):
    """What was found in a part. status: OK, NOTE (worth knowing) or WRONG; remedy: what a person does about it.

    fix: does it, where that can do no harm; None where a person has to.
    """

    part: str
    status: str
    text: str
    remedy: str = ""
    fix: Callable[[], object] | None = None
