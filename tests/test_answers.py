"""What a line of a prompt must look like to be the owner's answer, and what an unusable one gets back."""

import pytest
from builders import Repo, row, run_hook
from claude_session import Session

from gatilho.ladder.answers import Answer, Ids, answers_in

KNOWN = ("D-7f3k", "D-2m9q", "D-1", "D-2", "D-3", "D-4", "the old one", "api:1")


def _known(text: str) -> list[str]:
    return [row_id for row_id in KNOWN if row_id.lower() == text.lower()]


IDS = Ids(_known, lambda text: text.upper().startswith("D-"), lambda text: "D-1" if text == "D-11" else "")


def _answers(prompt: str) -> list[Answer]:
    return answers_in(prompt, IDS)[0]


def _unusable(prompt: str) -> list[str]:
    return answers_in(prompt, IDS)[1]


RELEASE = Answer("waive", "D-7f3k", "2026-12-24", "release week")
ANSWERS = [
    ("ok D-7f3k", Answer("ok", "D-7f3k"), "plain"),
    ("OK D-7f3k", Answer("ok", "D-7f3k"), "in capitals"),
    ("ok d-7F3K", Answer("ok", "D-7f3k"), "the id in another case"),
    ("Ok, D-7f3k", Answer("ok", "D-7f3k"), "a comma after ok"),
    ("ok: D-7f3k", Answer("ok", "D-7f3k"), "a colon after ok"),
    ("ok D-7f3k!", Answer("ok", "D-7f3k"), "an exclamation mark"),
    ("ok D-7f3k, go on", Answer("ok", "D-7f3k"), "words after the id"),
    ("ok D-7f3k please finish it", Answer("ok", "D-7f3k"), "more words after the id"),
    ("  ok   D-7f3k  ", Answer("ok", "D-7f3k"), "with blanks"),
    ("`ok D-7f3k`", Answer("ok", "D-7f3k"), "as code"),
    ("ok `D-7f3k`", Answer("ok", "D-7f3k"), "with the id as code"),
    ("ok D-7f3k.", Answer("ok", "D-7f3k"), "with a full stop"),
    ("Okay D-7f3k", Answer("ok", "D-7f3k"), "the longer word"),
    ("ok\tD-7f3k", Answer("ok", "D-7f3k"), "with a tab"),
    ("ok\u00a0D-7f3k\u00a0", Answer("ok", "D-7f3k"), "with a no-break space"),
    ("ok D\u20117f3k", Answer("ok", "D-7f3k"), "with a hyphen as it is set in print"),
    ("ok [D-7f3k]", Answer("ok", "D-7f3k"), "in the brackets of a note"),
    ("ok “D-7f3k”", Answer("ok", "D-7f3k"), "in quotes"),
    ("ok the old one", Answer("ok", "the old one"), "with blanks in the id"),
    ("\u200bok D-7f3k\x1b[2J\u2066", Answer("ok", "D-7f3k"), "with what no one sees"),
    ("ok api:1", Answer("ok", "api:1"), "with a colon in the id"),
    ("waive D-7f3k until 2026-12-24: release week", RELEASE, "a waiver"),
    ("waive D-7f3k 2026-12-24: release week", RELEASE, "a waiver without until"),
    ("Waive d-7f3k, Until 2026-12-24, release week.", RELEASE, "a waiver with commas"),
    ("waive D-7f3k: 2026-12-24 release week", RELEASE, "a waiver with a colon after the id"),
    ("Waive D-7f3k until 2026-12-24:a: b", Answer("waive", "D-7f3k", "2026-12-24", "a: b"), "a colon in the reason"),
    (
        "waive D-7f3k until 2026-12-24 because of it",
        Answer("waive", "D-7f3k", "2026-12-24", "because of it"),
        "no colon",
    ),
    ("waive the old one until 2026-12-24: x", Answer("waive", "the old one", "2026-12-24", "x"), "blanks in the id"),
]
PROSE = [
    ("", "nothing"),
    ("ok", "no id"),
    ("fine D-7f3k", "another word"),
    ("is it ok D-7f3k", "a question"),
    ("- ok D-7f3k", "a list"),
    ("> ok D-7f3k", "a quote"),
    ("waive until 2026-12-24: x", "no id to waive"),
    ("please waive D-7f3k until 2026-12-24", "a request"),
    ("ok, go on with D-7f3k", "an id later in the line"),
    ("pay attention to D-7f3k", "another sense of pay"),
    ("waive that idea", "another sense of waive"),
]


@pytest.mark.parametrize(("line", "answer", "why"), ANSWERS, ids=[why for *_, why in ANSWERS])
def test_this_is_an_answer(line: str, answer: Answer, why: str) -> None:
    assert answers_in(line, IDS) == ([answer], [])
    assert answers_in(f"before\n{line}\r\nafter", IDS) == ([answer], [])


@pytest.mark.parametrize(("line", "why"), PROSE, ids=[why for _, why in PROSE])
def test_this_is_prose(line: str, why: str) -> None:
    assert answers_in(line, IDS) == ([], [])


def test_each_line_may_be_one() -> None:
    prompt = "ok D-1\nok D-2\rok D-3\n\nwaive D-4 until 2026-12-24: x"
    assert [answer.id for answer in _answers(prompt)] == ["D-1", "D-2", "D-3", "D-4"]


@pytest.mark.parametrize("line", ["ok D-1 D-2", "ok D-1, D-2", "ok d-1 and D-2, thanks", "Ok: `D-1`, `D-2`."])
def test_one_line_may_name_several_rows(line: str) -> None:
    assert answers_in(line, IDS) == ([Answer("ok", "D-1"), Answer("ok", "D-2")], [])


def test_one_waiver_may_name_several_rows() -> None:
    assert _answers("waive D-1, D-2 until 2026-12-24: busy") == [
        Answer("waive", row_id, "2026-12-24", "busy") for row_id in ("D-1", "D-2")
    ]


FORM = "write `waive D-7f3k until YYYY-MM-DD: reason`"
NO_DATE = f"D-7f3k is not waived: {FORM}, with a date that exists."
UNUSABLE = [
    ("waive D-7f3k", NO_DATE, "nothing after the id"),
    ("waive D-7f3k: release week", NO_DATE, "a reason and no day"),
    ("Waive `D-7f3k` until tomorrow: x", NO_DATE, "a day in words"),
    ("waive D-7f3k until 2027-02-29: x", NO_DATE, "a day that no calendar has"),
    ("waive D-7f3k until 2026-12-24", f"D-7f3k is not waived: a waiver needs a reason, so {FORM}.", "no reason"),
    ("ok D-9" + "9" * 999, f"No row D-9{'9' * 56}…, so your answer was ignored.", "an id without end"),
    ("ok D-99", "No row D-99, so your answer was ignored.", "an unknown id"),
    ("ok D-11", "No row D-11, so your answer was ignored. Did you mean D-1?", "a typing error"),
    (
        "ok D-7f3k?",
        "D-7f3k is not answered: your line is a question. Write `ok D-7f3k`.",
        "a question",
    ),
    (
        "pay D-7f3k: done",
        "D-7f3k is not paid: a prompt cannot pay a debt. Run `gatilho pay D-7f3k --why TEXT` in your own terminal.",
        "a payment",
    ),
]


@pytest.mark.parametrize(("line", "reason", "why"), UNUSABLE, ids=[why for *_, why in UNUSABLE])
def test_an_unusable_line_gets_its_reason_back(line: str, reason: str, why: str) -> None:
    assert answers_in(f"before\n{line}\nafter", IDS) == ([], [reason])


def test_what_is_known_counts_beside_what_is_not() -> None:
    assert answers_in("ok D-1 D-99", IDS) == ([Answer("ok", "D-1")], ["No row D-99, so your answer was ignored."])


def test_the_owner_reads_why_an_answer_was_not_used(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^README\.md$", paid_when="exists done.txt", rides=3))
    session = Session(repo)
    prompt = "waive D-1 until Christmas: x\nwaive that idea\nok D-2\npay d-1: done\nok then, go on"
    told = run_hook(session.prompt(prompt)).person
    assert "D-1 is not waived: write `waive D-1 until YYYY-MM-DD: reason`" in told
    assert "No row D-2, so your answer was ignored. Did you mean D-1?" in told
    assert "D-1 is not paid: a prompt cannot pay a debt." in told
    assert told.count("gatilho: ") == 3
    assert repo.changed() == []


def test_an_answer_in_another_case_allows_the_writes(repo: Repo) -> None:
    repo.table(
        row("D-1", r"path: ^README\.md$", paid_when="exists done.txt", rides=3),
        row("D-x2", r"path: ^README\.md$", paid_when="exists done.txt", rides=3),
    )
    session = Session(repo)
    told = run_hook(session.prompt("Ok, d-1 D-X2 thanks")).person
    assert "D-1: writes are allowed in this session." in told
    assert "D-x2: writes are allowed in this session." in told
    run_hook(session.prompt("ok D-1"))  # which answers D-x2 no second time
    run_hook(session.prompt("go on"))
    assert sorted(line["id"] for line in repo.ledger("allowed")) == ["D-1", "D-1", "D-x2"]


def test_a_row_that_is_not_owed_has_nothing_to_answer(repo: Repo) -> None:
    repo.table(row("R-1", r"path: ^README\.md$", lifecycle="rule"))
    told = run_hook(Session(repo).prompt("ok r-1")).person
    assert "R-1 is not an open debt; there is nothing to answer." in told
