"""The grammar of conditions: what is read, what is refused, and how it is said in words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.document.condition_grammar import NOT_UNDERSTOOD, in_words, is_glob, parse_conditions
from gatilho.model import Condition


def parse_one(span: str) -> tuple[Condition, str]:
    conditions, messages = parse_conditions([span])
    assert len(conditions) == 1
    return conditions[0], "".join(messages)


READ = [
    pytest.param("exists docs/adr.md", "exists", "docs/adr.md", "", id="a path that must be there"),
    pytest.param("missing legacy.py", "missing", "legacy.py", "", id="a path that must not be there"),
    pytest.param(r"contains t.py \bclock\b", "contains", "t.py", r"\bclock\b", id="a pattern with backslashes"),
    pytest.param("lacks d.sh sleep 30", "lacks", "d.sh", "sleep 30", id="a pattern with blanks"),
    pytest.param("lacks d.sh  sleep  30", "lacks", "d.sh", "sleep  30", id="blanks inside the pattern are kept"),
    pytest.param("lacks\td.sh\tx", "lacks", "d.sh", "x", id="tabs part the words"),
    pytest.param("contains 'my notes.md' done", "contains", "my notes.md", "done", id="single quotes around a path"),
    pytest.param('contains "my notes.md" done', "contains", "my notes.md", "done", id="double quotes around a path"),
    pytest.param(r"contains my\ notes.md done", "contains", "my notes.md", "done", id="a backslash before a blank"),
    pytest.param(
        "contains 'my 'notes.md done", "contains", "my notes.md", "done", id="a quote in the middle of a word"
    ),
    pytest.param('contains a.py "x y"', "contains", "a.py", '"x y"', id="quotes in the pattern are part of it"),
    pytest.param(r"exists what\?.txt", "exists", "what[?].txt", "", id="an escaped wildcard is none"),
    pytest.param("exists ./src//a.py", "exists", "src/a.py", "", id="dots and doubled slashes fall away"),
    pytest.param("exists src/../lib/a.py", "exists", "lib/a.py", "", id="a path that stays inside"),
    pytest.param("exists docs/adr/", "exists", "docs/adr", "", id="a directory with its slash"),
    pytest.param("exists src/**/*.py", "exists", "src/**/*.py", "", id="a glob"),
    pytest.param("exists docs/gatilhos.md", "exists", "docs/gatilhos.md", "", id="a file beside the store"),
    pytest.param("exists .github/ci.yml", "exists", ".github/ci.yml", "", id="a name that begins like .git"),
    pytest.param("Contains a.py x", "contains", "a.py", "x", id="a capital letter"),
    pytest.param("  contains a.py x", "contains", "a.py", "x", id="blanks in front"),
    pytest.param("passes pytest -q  tests/a.py", "passes", "pytest -q  tests/a.py", "", id="a command is kept whole"),
]


@pytest.mark.parametrize(("span", "kind", "argument", "pattern"), READ)
def test_a_condition_is_read(span: str, kind: str, argument: str, pattern: str) -> None:
    assert parse_one(span) == (Condition(kind, argument, pattern, span), "")


REFUSED = [
    pytest.param("", "it is empty", id="nothing"),
    pytest.param("  ", "it is empty", id="only blanks"),
    pytest.param("holds a.py", "write one of `contains PATH REGEX`", id="an unknown word"),
    pytest.param("absent a.py", "write `missing PATH`", id="another word for missing"),
    pytest.param("has a.py x", "write `contains PATH REGEX`", id="another word for contains"),
    pytest.param("contains:a.py:x", "blanks, not with colons: write `contains PATH REGEX`", id="colons"),
    pytest.param("cmd:make test", "write `passes COMMAND`", id="another word for passes with a colon"),
    pytest.param("exists", "write `exists PATH`", id="no path"),
    pytest.param("passes ", "write `passes COMMAND`", id="no command"),
    pytest.param("contains a.py", "the pattern is empty", id="no pattern"),
    pytest.param("lacks a.py  ", "the pattern is empty", id="a pattern of blanks"),
    pytest.param("exists my notes.md", "quote a path with blanks", id="a path with blanks that is not quoted"),
    pytest.param("contains 'a b x", "is not closed", id="an open quote"),
    pytest.param("exists /etc/hosts", "absolute", id="an absolute path"),
    pytest.param("exists ~/notes.md", "absolute", id="a path in the home"),
    pytest.param("exists C:/x", "absolute", id="a drive letter"),
    pytest.param(r"exists src\a.py", "write / between", id="backslashes between directories"),
    pytest.param("exists ../x", "leaves the repository", id="a path that leaves"),
    pytest.param("exists src/../../x", "leaves the repository", id="a path that leaves by a detour"),
    pytest.param("exists .", "names no file", id="the root itself"),
    pytest.param("lacks docs/gatilhos/a.md x", "does not look at docs/gatilhos", id="a file of the store"),
    pytest.param("exists docs/x/../gatilhos", "does not look at docs/gatilhos", id="the store by a detour"),
    pytest.param("exists .git/HEAD", "into .git", id="a file of git"),
    pytest.param("exists sub/.git/HEAD", "into .git", id="a file of another git"),
    pytest.param("exists a\0b", "NUL", id="a NUL character"),
]


@pytest.mark.parametrize(("span", "said"), REFUSED)
def test_a_condition_that_cannot_be_understood_is_named_and_never_holds(span: str, said: str) -> None:
    condition, message = parse_one(span)
    assert said in message
    assert message.startswith(f"`{span}`: ")
    assert condition.kind == NOT_UNDERSTOOD
    assert condition.text == span


def test_one_bad_span_leaves_the_others() -> None:
    conditions, messages = parse_conditions(["exists a.py", "nope", "lacks b.py x"])
    assert [condition.kind for condition in conditions] == ["exists", NOT_UNDERSTOOD, "lacks"]
    assert len(messages) == 1


def test_no_spans_are_no_conditions() -> None:
    assert parse_conditions([]) == ((), [])


WORDS = [
    pytest.param(r"contains t.py \bclock\b", r"t.py contains `\bclock\b`", id="contains"),
    pytest.param("lacks d.sh sleep 30", "d.sh lacks `sleep 30`", id="lacks"),
    pytest.param("exists a.md", "a.md exists", id="exists"),
    pytest.param("missing a.md", "a.md is missing", id="missing"),
    pytest.param("passes make test", "`make test` passes", id="passes"),
    pytest.param("contains src/*.py x", "any src/*.py contains `x`", id="contains with a glob"),
    pytest.param("lacks src/*.py x", "every src/*.py lacks `x`", id="lacks with a glob"),
    pytest.param("missing src/*.py", "no src/*.py exists", id="missing with a glob"),
    pytest.param("contains a.md `x`", "a.md contains `` `x` ``", id="a pattern with backticks"),
    pytest.param("nonsense", "`nonsense`, which is not a condition", id="no condition"),
]


@pytest.mark.parametrize(("span", "words"), WORDS)
def test_a_condition_is_said_in_words(span: str, words: str) -> None:
    assert in_words(parse_one(span)[0]) == words


@pytest.mark.parametrize("path", ["*.py", "a?.py", "src/**", "[ab].py", "a.{ts,tsx}"])
def test_wildcards_make_a_glob(path: str) -> None:
    assert is_glob(path)


@pytest.mark.parametrize("path", ["a.py", "[]", "a]b[", "{{name}}/a", "{one}", "a,b"])
def test_other_punctuation_makes_none(path: str) -> None:
    assert not is_glob(path)


@settings(max_examples=200)
@given(st.text())
def test_any_text_gives_one_condition_and_at_most_one_message(span: str) -> None:
    conditions, messages = parse_conditions([span])
    assert len(conditions) == 1
    assert conditions[0].text == span
    assert (conditions[0].kind == NOT_UNDERSTOOD) == (len(messages) == 1)
    assert in_words(conditions[0])


@settings(max_examples=200)
@given(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0/\\'*?[{~"), min_size=1))
def test_a_quoted_name_is_read_back(name: str) -> None:
    condition, message = parse_one(f"contains 'd/{name}.x' y")
    assert (condition.argument, condition.pattern, message) == (f"d/{name}.x", "y", "")
