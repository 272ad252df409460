"""What a line of a prompt must look like to be the owner's answer."""

import pytest

from gatilho.ladder.answers import Answer, answers_in

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
