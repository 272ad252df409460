"""Problems as SARIF 2.1.0, for code scanning services and editors."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from gatilho import __version__
from gatilho.compare.findings import message_of
from gatilho.explanations import link, section
from gatilho.model import Problem
from gatilho.plain import clean_line

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
