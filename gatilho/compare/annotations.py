"""Problems as commands of GitHub's workflow runner, which shows them beside the lines of a pull request."""

from collections.abc import Iterable

from gatilho.compare.findings import message_of
from gatilho.explanations import link
from gatilho.model import Problem
from gatilho.plain import clean_line

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}
# The runner shows ten of each level for a step, so the worst come first.
_ORDER = tuple(_LEVELS)


def annotations(problems: Iterable[Problem]) -> list[str]:
    """Return one line for each problem; nothing in it can end the line or begin another command."""
    ordered = sorted(problems, key=lambda problem: _ORDER.index(problem.severity))
    return [_annotation(problem) for problem in ordered]


def _annotation(problem: Problem) -> str:
    place = problem.place
    properties = {"file": place.file, "line": str(max(place.line, 1))}
    if problem.text:
        properties["col"] = str(max(place.column, 1))
        properties["endColumn"] = str(max(place.column, 1) + max(problem.width, 1))
    properties["title"] = f"gatilho {problem.code}"
    listed = ",".join(f"{name}={_property(clean_line(value))}" for name, value in properties.items())
    return f"::{_LEVELS[problem.severity]} {listed}::{_data(clean_line(message_of(problem)))}%0A{link(problem.code)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
