"""What people read: docstrings that begin with a verb."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "gatilho").rglob("*.py"))

_VERBS = """
    Act Add Adopt Answer Ask Begin Bring Build Call Choose Close Compare Compile Complain Compute Count Create Cut
    Decide Decode Delete Describe Do Drop Encode End Evaluate Exchange Expand Expire Explain Fail File Fill Find Fix
    Follow Forget Get Give Go Handle Import Insert Install Join Keep Leave Let List Load Locate Look Make Mark Match
    Measure Merge Move Name Normalise Note Offer Open Parse Pay Plan Point Prepare Print Put Queue Raise Read Record
    Refuse Register Remember Remove Rename Render Replace Report Resolve Return Rewrite Run Save Say Search Send Set
    Settle Show Skip Sort Spell Split Start Stop Store Strike Take Translate Trim Try Turn Undo Update Use Wait Walk
    Warn Write Yield
    """
VERBS = frozenset(_VERBS.split())


def _functions(source):
    tree = ast.parse(source.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_docstring_of_a_function_begins_with_a_verb(source):
    wrong = []
    for function in _functions(source):
        text = ast.get_docstring(function)
        if text is not None and text.split()[0].rstrip(",") not in VERBS:
            wrong.append(f"{source.name}:{function.lineno} {function.name}: {text.splitlines()[0]}")
    assert not wrong, "\n".join(wrong)
