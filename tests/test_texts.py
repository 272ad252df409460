"""What people read: docstrings that begin with a verb, and words that are easy to read."""

import ast
import builtins
import re
import tokenize

import pytest
from builders import CHECKOUT as ROOT
from sources import SOURCES, nodes_of

pytestmark = pytest.mark.once

_VERBS = """
    Act Add Adopt Answer Ask Begin Bring Build Call Choose Close Compare Compile Complain Compute Count Create Cut
    Decide Decode Delete Describe Do Drop Encode End Evaluate Exchange Expand Expire Explain Fail File Fill Find Fix
    Follow Forget Get Give Go Group Handle Import Insert Install Join Keep Leave Let List Load Locate Look Make Mark Match
    Measure Merge Move Name Normalise Note Offer Open Parse Pay Plan Point Prepare Print Put Queue Raise Read Record
    Refuse Register Remember Remove Rename Render Replace Report Resolve Return Rewrite Run Save Say Search Send Set
    Settle Show Skip Sort Spell Split Start Stop Store Strike Take Translate Trim Try Turn Undo Update Use Wait Walk
    Warn Write Yield
    """
VERBS = frozenset(_VERBS.split())


def _functions(source):
    return [node for node in nodes_of(source) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def test_the_docstring_of_a_function_begins_with_a_verb():
    wrong = []
    for source in SOURCES:
        for function in _functions(source):
            text = ast.get_docstring(function)
            if text is not None and text.split()[0].rstrip(",") not in VERBS:
                wrong.append(f"{source.relative_to(ROOT)}:{function.lineno} {function.name}: {text.splitlines()[0]}")
    assert not wrong, "\n".join(wrong)


def test_a_docstring_names_exceptions_that_exist():
    text = "\n".join(source.read_text(encoding="utf-8") for source in SOURCES)
    code = re.findall(r"^ *(?:class|except|from|import|raise) .*", text, re.M)
    known = {*dir(builtins), *re.findall(r"\w+", "\n".join(code))}
    named = re.findall(r"\b[Rr]aises? (_?[A-Z]\w+)(?: and (_?[A-Z]\w+))?", text)
    assert {name for pair in named for name in pair if name} - known == set()


# Words that a reader has to think about; each with what it may not be mistaken for.
AVOIDED = re.compile(
    r"\bnobody\b|\bwithout a word\b|\b(?:needs?|wants?|worth) a word\b|(?-i:(?<!there )\bis none\b)|\bstands?\b(?! for| in for)"
    r"|\bbehind\b|\btells?\b|\btold\b|\bmends?\b|\bmended\b|\bfor good\b|\bso many\b|\bthat of\b|\bone another's\b|\bbut for\b",
    re.IGNORECASE,
)
# A text that may have one, and why.
EXCEPTIONS = {
    "tand-in": "a noun of its own: what replaces something for a while",
}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += sorted((ROOT / "examples").rglob("*.md")) + sorted((ROOT / "gatilho" / "starter").glob("*.md"))


SCRIPTS = [ROOT / "scripts" / "comment.py", ROOT / "scripts" / "gatilho.py"]
SCRIPTS += sorted((ROOT / "scripts" / "pages").glob("*.py")) + sorted((ROOT / "benchmarks").glob("*.py"))


def _comments(source):
    """Yield (line, text) of every comment."""
    with source.open("rb") as stream:
        for token in tokenize.tokenize(stream.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def _texts(source):
    """Yield (line, text) of every text and docstring of a module."""
    for node in nodes_of(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _avoided(text):
    for exception in EXCEPTIONS:
        text = text.replace(exception, "")
    return AVOIDED.search(text)


def test_texts_docstrings_and_comments_avoid_words_that_are_hard_to_read():
    wrong = []
    for source in SOURCES + SCRIPTS:
        for line, text in [*_texts(source), *_comments(source)]:
            if " " in text and " FROM " not in text and " TABLE " not in text and " INTO " not in text:
                found = _avoided(text)
                if found:
                    wrong.append(f"{source.relative_to(ROOT)}:{line}: {found[0]!r} in {text.strip()[:100]!r}")
    assert not wrong, "\n".join(wrong)


def test_pages_avoid_words_that_are_hard_to_read():
    wrong = []
    for page in PAGES:
        lines = enumerate(page.read_text(encoding="utf-8").split("\n"), 1)
        wrong += [f"{page.relative_to(ROOT)}:{number}: {line[:120]}" for number, line in lines if _avoided(line)]
    assert not wrong, "\n".join(wrong)


def test_every_exception_is_used():
    everything = "\n".join(text for source in SOURCES for _, text in _texts(source))
    assert [exception for exception in EXCEPTIONS if exception not in everything] == []
