"""One name, one meaning: a class, a module or a public function has a name of its own in the whole package."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest
from sources import PACKAGE, SOURCES, nodes_of, tree_of

pytestmark = pytest.mark.once

# Names that several modules have because each is one of a family, which the rest of the program calls alike.
FAMILIES = {
    "main": "what runs a command, and the hook and the command line themselves",
    "read": "a host's reader of payloads",
    "answer": "a host's writer of answers, and the hook's answer to a fault",
    "send": "what a host sends of an event, for the doctor",
    "find_problems": "a family of checks",
    "inspect": "a part of the doctor",
}
# Modules whose names come twice, each with the reason.
MODULES = {
    "config": "the command shows what the module reads",
    "corrections": "the command shows what the module counts",
    "explain": "the command explains codes, the other module rows",
    "facts": "what changed in a row, and what people correct",
    "health": "the command shows what the module computes",
    "hook": "the command is the same program as the hook",
    "mcp": "the command serves one, the other module reads the tools of such servers",
    "resolve": "the command and what it runs",
    "sources": "of a working tree's rows, and of proposed rows",
}


def _several(places: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: found for name, found in sorted(places.items()) if len(found) > 1}


def _short(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


def test_a_class_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for path in SOURCES:
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(_short(path))
    assert _several(places) == {}


def test_a_public_function_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for path in SOURCES:
        for node in tree_of(path).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                places[node.name].append(_short(path))
    found = _several(places)
    assert {name: at for name, at in found.items() if name not in FAMILIES} == {}
    assert set(FAMILIES) <= set(found), "an exception that nothing needs"


def test_a_module_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for path in SOURCES:
        if path.stem not in ("__init__", "__main__"):
            places[path.stem].append(_short(path))
    assert set(_several(places)) == set(MODULES)
