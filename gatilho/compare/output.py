"""Changes as problems with a place, as SARIF, for GitHub's runner and for GitLab's report; and changes counted."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from gatilho import __version__
from gatilho.compare.facts import KINDS, Fact, Quote, in_plain_text
from gatilho.compare.row_changes import Comparison
from gatilho.explanations import link, section
from gatilho.model import Place, Problem
from gatilho.plain import clean_line, counted, to_do

_ORDER = ("error", "warning", "note")
TITLES = {kind.code: kind.title for kind in KINDS.values()}


def findings(comparison: Comparison, kinds: Iterable[str] = KINDS) -> list[Problem]:
    """Return every fact of those kinds as a problem, errors first; what there is to say of a new row is one."""
    wanted = frozenset(kinds)
    found = [
        _problem(fact, Place(change.row.file, change.row.line), change.row.id)
        for change in comparison.rows
        for fact in _joined(change.facts)
        if fact.kind in wanted
    ]
    found += [_problem(one.fact, Place(one.file, 1), "") for one in comparison.files if one.fact.kind in wanted]
    return _worst_first(found)


def count_by_severity(found: Iterable[Fact | Problem]) -> dict[str, int]:
    """Return how many errors, warnings and notes there are."""
    severities = [one.severity for one in found]
    return {severity: severities.count(severity) for severity in _ORDER}


def summary(comparison: Comparison) -> str:
    """Return how many rows changed, and what of it a person has to see, in one sentence."""
    added = sum(change.before is None for change in comparison.rows)
    removed = sum(change.after is None for change in comparison.rows)
    changed = sum(not change.only_judged for change in comparison.rows) - added - removed
    moved = sum(len(one.rows) for one in comparison.files)
    found = ((changed, "changed"), (added, "added"), (removed, "removed"), (moved, "moved"))
    parts = [f"{count} {word}" for count, word in found if count]
    if parts:
        number, word = parts[0].split(" ")
        parts[0] = f"{number} {'row' if number == '1' else 'rows'} {word}"
    text = f"{', '.join(parts)}." if parts else "No row changed."
    wrong = count_by_severity(comparison.facts)["error"]
    text += f" {wrong} {'change needs' if wrong == 1 else 'changes need'} a reason." if wrong else ""
    for kind, verb, noun in (("pays", "pays", "debt"), ("unpays", "undoes", "payment")):
        count = sum(fact.kind == kind for fact in comparison.facts)
        text += f" It {verb} {counted(count, noun)}." if count else ""
    return text


def message_of(problem: Problem) -> str:
    """Return what is wrong and what to do, in one text, for where there is room for one only."""
    said = problem.message.removesuffix(".")
    return f"{said}. {to_do(problem.remedy)}" if problem.remedy else said


def _joined(facts: tuple[Fact, ...]) -> list[Fact]:
    """Return the facts with all that is said of a new row in one."""
    added = [fact for fact in facts if fact.kind == "added"]
    if len(added) < 2:
        return list(facts)
    words = [word for number, fact in enumerate(added) for word in (*((", ",) if number else ()), *fact.words)]
    return [added[0].replace(words=tuple(words)), *(fact for fact in facts if fact.kind != "added")]


def _problem(fact: Fact, place: Place, row_id: str) -> Problem:
    message = in_plain_text(fact.words)
    is_named = any(isinstance(one, Quote) and one.text == row_id for one in fact.words)
    said = f"{row_id.strip()}: {message}" if row_id and not is_named else message
    return Problem(fact.code, fact.severity, place, said, in_plain_text(fact.remedy), row=row_id)


def _worst_first(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: _ORDER.index(problem.severity))


_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def annotations(problems: Iterable[Problem]) -> list[str]:
    """Return one line for each problem, of which nothing can end the line or begin another command.

    The runner shows ten of each level for a step, so the worst come first.
    """
    return [_annotation(problem) for problem in _worst_first(problems)]


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
    # Between properties these two are syntax; in the message after them they are text.
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# GitLab's words, from the worst: blocker and critical are for what runs.
_GITLAB_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def codeclimate(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return the problems as GitLab's Code Quality report wants them; it shows one of equal fingerprints."""
    found: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for problem in problems:
        mark = _fingerprint(problem)
        seen[mark] = seen.get(mark, 0) + 1
        place = problem.place
        found.append(
            {
                "description": clean_line(message_of(problem)),
                "check_name": problem.code,
                "fingerprint": mark if seen[mark] == 1 else f"{mark}-{seen[mark]}",
                "severity": _GITLAB_SEVERITIES[problem.severity],
                "location": {"path": clean_line(place.file), "lines": {"begin": max(place.line, 1)}},
            }
        )
    return found


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(problems: Sequence[Problem], titles: Mapping[str, str]) -> dict[str, Any]:
    """Return one run's log. titles: what each code stands for."""
    codes = sorted({problem.code for problem in problems})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "gatilho",
                        "version": __version__,
                        "rules": [_rule(code, titles.get(code, code)) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(problem, codes.index(problem.code)) for problem in problems],
            }
        ],
    }


def _rule(code: str, title: str) -> dict[str, Any]:
    return {
        "id": code,
        "shortDescription": {"text": title},
        "helpUri": link(code),
        "help": {"text": f"{title}. `gatilho explain {code}` says more.", "markdown": section(code)},
    }


def _result(problem: Problem, rule: int) -> dict[str, Any]:
    text = clean_line(message_of(problem))
    return {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": problem.severity,
        "message": {"text": _unlinked(text)},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(problem), "region": _region(problem)}}],
        "partialFingerprints": {"gatilho/v1": _fingerprint(problem)},
    }


def _artifact(problem: Problem) -> dict[str, str]:
    """Return the file as a URI: below the root of the sources, or absolute."""
    name = problem.place.file.encode("utf-8", "surrogateescape")
    if name.startswith(b"/"):
        return {"uri": "file://" + quote(name)}
    return {"uri": quote(name), "uriBaseId": "%SRCROOT%"}


def _region(problem: Problem) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(problem.place.line, 1)}
    if problem.text:
        column = max(problem.place.column, 1)
        region |= {"startColumn": column, "endColumn": column + max(problem.width, 1)}
        region["snippet"] = {"text": clean_line(problem.text)}
    return region


def _unlinked(text: str) -> str:
    """Return the text without links: SARIF makes one of `[words](target)`, and the words come from many hands."""
    return text.replace("](", "]\u200b(")


def _fingerprint(problem: Problem) -> str:
    """Return what stays the same when lines move: the code, and the row or else the text of the line."""
    parts = (problem.code, problem.place.file, problem.row or problem.text or problem.message)
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]
