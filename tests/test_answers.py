"""What a line of a prompt must look like to be the owner's answer."""

import pytest
from builders import Repo, row, run_hook
from claude_session import Session

from gatilho.ladder.answers import Answer, answers_in, misspelt_in

ANSWERS = [
    ("ok D-7f3k", Answer("ok", "D-7f3k"), "plain"),
    ("OK D-7f3k", Answer("ok", "D-7f3k"), "in capitals"),
    ("  ok   D-7f3k  ", Answer("ok", "D-7f3k"), "with blanks"),
    ("`ok D-7f3k`", Answer("ok", "D-7f3k"), "as code"),
    ("ok `D-7f3k`", Answer("ok", "D-7f3k"), "with the id as code"),
    ("ok D-7f3k.", Answer("ok", "D-7f3k"), "with a full stop"),
    ("ok the old one", Answer("ok", "the old one"), "with blanks in the id"),
    ("ok api:1", Answer("ok", "api:1"), "with a colon in the id"),
    (
        "waive D-7f3k until 2026-12-24: release week",
        Answer("waive", "D-7f3k", "2026-12-24", "release week"),
        "a waiver",
    ),
    ("waive D-7f3k until 2026-12-24", Answer("waive", "D-7f3k", "2026-12-24"), "without a reason"),
    ("Waive D-7f3k until 2026-12-24:a: b", Answer("waive", "D-7f3k", "2026-12-24", "a: b"), "a colon in the reason"),
    ("waive the old one until 2026-12-24: x", Answer("waive", "the old one", "2026-12-24", "x"), "blanks in the id"),
]
PROSE = [
    ("", "nothing"),
    ("ok", "no id"),
    ("okay D-7f3k", "another word"),
    ("is it ok D-7f3k", "a question"),
    ("- ok D-7f3k", "a list"),
    ("> ok D-7f3k", "a quote"),
    ("waive D-7f3k", "no date"),
    ("waive D-7f3k until tomorrow: x", "a day in words"),
    ("waive until 2026-12-24: x", "no id to waive"),
    ("please waive D-7f3k until 2026-12-24", "a request"),
]


@pytest.mark.parametrize(("line", "answer", "why"), ANSWERS, ids=[why for *_, why in ANSWERS])
def test_this_is_an_answer(line: str, answer: Answer, why: str) -> None:
    assert answers_in(line) == [answer]
    assert answers_in(f"before\n{line}\r\nafter") == [answer]


@pytest.mark.parametrize(("line", "why"), PROSE, ids=[why for _, why in PROSE])
def test_this_is_prose(line: str, why: str) -> None:
    assert answers_in(line) == []


def test_each_line_may_be_one() -> None:
    assert [answer.id for answer in answers_in("ok D-1\nok D-2\rok D-3\n\nwaive D-4 until 2026-12-24: x")] == [
        "D-1",
        "D-2",
        "D-3",
        "D-4",
    ]


MEANT = [
    ("waive D-7f3k", "waive", "nothing behind the id"),
    ("waive D-7f3k: release week", "waive", "a reason and no day"),
    ("Waive `D-7f3k` until tomorrow: x", "waive", "a day in words"),
    ("waive D-7f3k until 2027-02-29: x", "waive", "a day that no calendar has"),
    ("waive D-7f3k until 2026-12-24 because of it", "waive", "no colon before the reason"),
    ("ok D-7f3k, D-2m9q", "ok", "two ids on one line"),
]


@pytest.mark.parametrize(("line", "verb", "why"), MEANT, ids=[why for *_, why in MEANT])
def test_what_was_meant_as_an_answer_is_known(line: str, verb: str, why: str) -> None:
    assert misspelt_in(f"before\n{line}\nafter") == [Answer(verb, "D-7f3k")]


@pytest.mark.parametrize(("line", "answer", "why"), ANSWERS, ids=[why for *_, why in ANSWERS])
def test_an_answer_is_not_misspelt(line: str, answer: Answer, why: str) -> None:
    assert misspelt_in(line) == []


def test_the_owner_hears_how_an_answer_is_written(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^README\.md$", paid_when="exists done.txt", rides=3))
    session = Session(repo)
    told = run_hook(session.prompt("waive D-1 until Christmas: x\nwaive that idea\nok D-1, D-2\nok then, go on")).person
    assert "D-1 is not waived: write `waive D-1 until YYYY-MM-DD: reason`" in told
    assert "D-1 is not answered: write `ok D-1`, a line for each row." in told
    assert told.count("gatilho") == 2
    assert repo.changed() == []
