"""What each code of a problem means: the sections of `docs/checks.md`, which the installed package holds, too."""

import os

from gatilho import HOMEPAGE
from gatilho.errors import GatilhoError

_HERE = os.path.dirname(os.path.abspath(__file__))
# In the installed package, and in a checkout.
_PLACES = (os.path.join(_HERE, "checks.md"), os.path.join(os.path.dirname(_HERE), "docs", "checks.md"))
_HEADING = "\n## "


def sections() -> list[str]:
    """Return the codes that have a section, in order."""
    return [part.partition("\n")[0] for part in _page().split(_HEADING)[1:]]


def section(code: str) -> str:
    """Return the section of a code in Markdown, its heading included; "" where it has none."""
    for part in _page().split(_HEADING)[1:]:
        if part.startswith(code + "\n"):
            return f"## {part.rstrip()}\n"
    return ""


def link(code: str) -> str:
    """Return the address of a code's section."""
    return f"{HOMEPAGE}/blob/main/docs/checks.md#{code.lower()}"


def _page() -> str:
    from gatilho import files

    for path in _PLACES:
        if os.path.isfile(path):
            return files.read_bytes(path).decode("utf-8").replace("\r\n", "\n")
    raise GatilhoError("the page of problems is not installed; install gatilho again.")
