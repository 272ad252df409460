"""`remember`, `corrections` and their lines in prompts: counted by session, proposed, applied after a person's yes."""

import json
import re
from pathlib import Path

import pytest
from builders import HEADER, Repo, day, row, run_cli, run_hook
from claude_session import Session
from hypothesis import given
from hypothesis import strategies as st
from terminals import run_on_terminal

from gatilho.config import Corrections
from gatilho.document.rows import read_rows
from gatilho.ledger.tally import Entry
from gatilho.memory.corrections import (
    CorrectedFact,
    CostTouch,
    ahead_from,
    facts_in,
    find_line,
    proposals_left,
    read_fact,
    sessions_of,
    walk_costs,
)

FACT = "ORM: Prisma (migrated 2026-03; no Sequelize models)"
RULES = "docs/gatilhos/rules.md"
FACTS = "docs/gatilhos/facts.md"
KEYED = (
    "| id | lifecycle | trigger | note | rides | state | key | added |\n"
    "| --- | --- | --- | --- | ---: | --- | --- | --- |\n"
)
ORM = "| R-orm1 | rule | `path: ^db/(a\\|b)` | ORM: Sequelize | 4 | rule | orm | 2026-01-12 |\n"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.write(RULES, "# Rules\n\n" + KEYED + ORM)
    repo.commit("Write a fact down")
    return repo


def remember(repo: Repo, session: str, fact: str = FACT, env: dict[str, str] | None = None) -> int:
    return run_cli("remember", fact, "--session", session, cwd=repo.root, env=env).status


def test_each_session_counts_once_and_the_ledger_has_the_key_and_the_hash_only(shop: Repo) -> None:
    assert [remember(shop, name) for name in ("one", "one", "two")] == [0, 0, 0]
    lines = shop.ledger()
    assert [(line["id"], line["event"], line["rides"], line["evidence"]) for line in lines] == [
        ("ORM", "corrected", "", "")
    ] * 2
    assert len({line["session"] for line in lines}) == 2
    assert all(len(line["session"]) == 8 and line["by"] == "person" for line in lines)
    assert "Prisma" not in "".join(map(str, lines))
    assert run_cli("check", cwd=shop.root).status == 0


def test_the_third_session_proposes_and_writes_nothing_without_a_terminal(shop: Repo) -> None:
    assert [remember(shop, name) for name in ("one", "two")] == [0, 0]
    before = shop.read(RULES)
    done = run_cli("remember", FACT, "--session", "three", cwd=shop.root)
    assert (done.status, shop.read(RULES)) == (3, before)
    assert (
        f"Contradiction: ORM: Sequelize (2026-01-12, {RULES}:5) is what agents read; {FACT} (today) is newer."
        in done.stdout
    )
    assert "+| R-" in done.stdout
    assert f"| {FACT} | 0 | rule | orm | {day()} |" in done.stdout
    assert "Type `ok ORM`" in done.stdout


def test_a_yes_on_a_terminal_replaces_the_row_and_keeps_the_old_one_with_its_date(shop: Repo) -> None:
    remember(shop, "one")
    remember(shop, "two")
    done = run_on_terminal("remember", FACT, "--session", "three", cwd=shop.root, typed="y\n")
    assert done.status == 0, done.stdout + done.stderr
    old, new = read_rows(shop.read_bytes(RULES), RULES)[0]
    assert (old.id, old.note, old.state_text) == ("R-orm1", "ORM: Sequelize", f"superseded {day()} by {new.id}")
    assert (new.note, new.key, str(new.triggers[0]), new.rides) == (FACT, "orm", "path: ^db/(a|b)", 0)
    assert [line["event"] for line in shop.ledger()].count("superseded") == 1
    assert run_cli("check", cwd=shop.root).status == 0
    again = run_cli("remember", "ORM: Drizzle", "--session", "four", cwd=shop.root)
    assert (again.status, "corrected in 1 of 3 sessions" in again.stdout) == (0, True)


def test_a_no_on_a_terminal_changes_nothing(shop: Repo) -> None:
    remember(shop, "one")
    remember(shop, "two")
    before = shop.read(RULES)
    assert run_on_terminal("remember", FACT, "--session", "three", cwd=shop.root, typed="n\n").status == 1
    assert shop.read(RULES) == before


def test_an_agents_terminal_is_no_persons(shop: Repo) -> None:
    remember(shop, "one")
    remember(shop, "two")
    typed = {"typed": "y\n", "env": {"CLAUDECODE": "1"}}
    assert run_on_terminal("remember", FACT, "--session", "three", cwd=shop.root, **typed).status == 3  # type: ignore[arg-type]
    assert "Prisma" not in shop.read(RULES)


def test_a_line_of_the_instructions_is_replaced_and_what_it_said_is_kept(repo: Repo) -> None:
    repo.table()
    repo.write("AGENTS.md", b"# Notes\r\n\r\n- **ORM:** Sequelize\r\n- other\r\n")
    (repo.root / "CLAUDE.md").symlink_to("AGENTS.md")
    repo.commit()
    remember(repo, "one")
    remember(repo, "two")
    done = run_on_terminal("remember", FACT, "--session", "three", cwd=repo.root, typed="y\n")
    assert done.status == 0, done.stdout + done.stderr
    value = FACT.removeprefix("ORM: ")
    assert repo.read_bytes("AGENTS.md") == f"# Notes\r\n\r\n- **ORM:** {value}\r\n- other\r\n".encode()
    (kept,) = read_rows(repo.read_bytes(FACTS), FACTS)[0]
    assert (kept.note, kept.state_text, kept.added) == ("ORM: Sequelize", f"superseded {day()}", "2026-01-05")
    assert run_cli("check", cwd=repo.root).status == 0


def test_a_fact_that_nothing_states_becomes_a_row_that_is_said_at_the_start(repo: Repo) -> None:
    repo.table()
    remember(repo, "one", "Test runner: vitest")
    remember(repo, "two", "Test runner: vitest")
    run_on_terminal("remember", "Test runner: vitest", "--session", "three", cwd=repo.root, typed="y\n")
    (new,) = read_rows(repo.read_bytes(FACTS), FACTS)[0]
    assert (new.note, new.key, str(new.triggers[0])) == ("Test runner: vitest", "Test runner", "start")


def test_what_is_said_already_is_counted_and_not_proposed(shop: Repo) -> None:
    assert [remember(shop, name, "ORM: Sequelize") for name in ("one", "two", "three")] == [0, 0, 0]


def test_a_week_has_room_for_so_many_proposals(shop: Repo) -> None:
    shop.write("gatilho.toml", "[corrections]\nthreshold = 1\nproposals_per_week = 2\n")
    assert [remember(shop, "one", f"key {number}: value") for number in range(3)] == [3, 3, 0]
    assert remember(shop, "two", "key 0: other") == 3


@pytest.mark.parametrize(
    "words",
    [("ORM: Prisma",), ("ORM: Prisma", "--session", " "), ("no fact", "--session", "x"), (": x", "--session", "x")],
)
def test_no_session_and_no_fact_are_usage_errors(shop: Repo, words: tuple[str, ...]) -> None:
    assert run_cli("remember", *words, cwd=shop.root).status == 2
    assert shop.ledger() == []


def test_a_line_of_a_prompt_counts_and_no_other_text_does(shop: Repo) -> None:
    session = Session(shop)
    quiet = run_hook(session.prompt("ORM: Prisma, please. I remember: it was migrated"))
    said = run_hook(session.prompt(f"please go on\n`remember: {FACT}`\nthanks"))
    run_hook(session.prompt(f"Remember: {FACT}"))
    assert quiet.person == ""
    assert "ORM: corrected in 1 of 3 sessions. Contradiction: ORM: Sequelize (2026-01-12" in said.person
    assert [(line["id"], line["by"], line["evidence"]) for line in shop.ledger("corrected")] == [
        ("ORM", "person claude", "")
    ]


def test_more_sessions_than_it_takes_are_a_plain_number(shop: Repo) -> None:
    for session in ("mon", "tue", "wed"):
        remember(shop, session)
    later = run_cli("remember", FACT, "--session", "thu", cwd=shop.root).stdout
    assert "ORM: corrected in 4 sessions.\n" in later
    assert re.search(r"^ORM  4 +\d", run_cli("corrections", cwd=shop.root).stdout, re.MULTILINE)


def test_ok_and_the_key_in_a_prompt_applies_what_was_proposed(shop: Repo) -> None:
    for _ in range(3):
        said = run_hook(Session(shop).prompt(f"remember: {FACT}"))
    assert f"Proposed: replace ORM: Sequelize (2026-01-12, {RULES}:5) by {FACT} (today). Type `ok ORM`" in said.person
    assert "Prisma" not in shop.read(RULES)
    done = run_hook(Session(shop).prompt("ok orm"))
    assert f"ORM: applied; written: {RULES}." in done.person
    assert [one.state for one in read_rows(shop.read_bytes(RULES), RULES)[0]] == ["superseded", "rule"]
    assert run_hook(Session(shop).prompt("ok ORM")).person == ""


def test_ok_before_it_is_proposed_applies_nothing_and_ok_of_a_row_stays_what_it_is(shop: Repo) -> None:
    shop.write("docs/gatilhos/backlog.md", HEADER + row("D-1", "path: ^a", paid_when="exists b", rides=3) + "\n")
    run_hook(Session(shop).prompt(f"remember: {FACT}"))
    said = run_hook(Session(shop).prompt("ok ORM\nok D-1")).person
    assert "ORM: nothing is proposed yet: corrected in 1 of 3 sessions." in said
    assert "D-1: writes are allowed in this session." in said


def test_corrections_shows_the_counts_and_the_cost_of_each_touch(shop: Repo) -> None:
    remember(shop, "one")
    shown = run_cli("corrections", "orm", cwd=shop.root).stdout
    assert f"ORM  1 of 3    {day()}" in shown
    said = json.loads(run_cli("corrections", "--json", cwd=shop.root).stdout)
    costs = {one["touch"]: one for one in said["costs"]}
    assert (costs[10]["without"], costs[10]["with"], costs[3]["saved"], said["ahead_from"]) == (900, 290, -20, 4)
    assert run_cli("corrections", "nothing", cwd=shop.root).status == 2


# The pure parts.

SETTINGS = st.builds(Corrections, *(st.integers(1, 12), st.just(5), st.integers(0, 300), st.integers(0, 300)))


@given(st.integers(1, 60), SETTINGS)
def test_the_costs_touch_by_touch_are_those_of_playing_it_through(touches: int, settings: Corrections) -> None:
    expected = []
    without = with_loop = 0
    is_applied = False
    for number in range(1, touches + 1):
        without += settings.correction_seconds
        if not is_applied:
            is_applied = number >= settings.threshold
            with_loop += settings.correction_seconds + is_applied * settings.approval_seconds
        expected.append(CostTouch(number, without, with_loop))
    assert walk_costs(touches, settings) == expected


@given(SETTINGS)
def test_it_is_ahead_from_the_touch_that_it_names_and_not_before(settings: Corrections) -> None:
    ahead = ahead_from(settings)
    first = next((one.number for one in walk_costs(ahead + 5, settings) if one.saved > 0), 0) if ahead else 0
    assert first == ahead


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("ORM: Sequelize", "orm", "Sequelize"),
        ("  * `ORM`: Sequelize  ", "ORM", "Sequelize"),
        ("1. **ORM:** uses `x`", "ORM", "uses `x`"),
        ("- __ORM__: **bold**", "ORM", "**bold**"),
        ("```\nORM: a\n```\n- ORM: b", "ORM", "b"),
        ("- ORM: a: b", "ORM", "a: b"),
    ],
)
def test_a_line_that_states_a_key_is_found_with_its_value(text: str, key: str, value: str) -> None:
    found = find_line(text, key)
    assert found is not None
    assert (found.value, found.with_value("new")) == (value, found.text.replace(value, "new"))


@pytest.mark.parametrize("text", ["The ORM: a", "- ORM:", "ORM", "```\nORM: a", "- FORM: a"])
def test_other_lines_do_not(text: str) -> None:
    assert find_line(text, "ORM") is None


def test_facts_are_read_from_lines_that_begin_with_the_word() -> None:
    assert facts_in("remember: a: b\rx remember: c: d\n REMEMBER:  `key`: v: w") == [
        CorrectedFact("a", "b"),
        CorrectedFact("key", "v: w"),
    ]
    assert read_fact("a" * 61 + ": x") is None


def test_an_approved_edit_begins_the_count_anew() -> None:
    lines = [Entry(f"2026-11-0{day}", "K", "corrected", session=name) for day, name in ((1, "a"), (2, "b"), (4, "c"))]
    applied = Entry("2026-11-03", "K", "corrected", session="b", evidence="applied in x.md")
    assert sessions_of(lines) == ["a", "b", "c"]
    assert sessions_of([*lines, applied]) == ["c"]


def test_a_key_that_was_proposed_this_week_needs_no_more_room() -> None:
    proposed = ["2026-11-20 old", "2026-11-28 ORM", "2026-11-29 b"]
    assert proposals_left(proposed, "orm", "2026-11-22", 2)
    assert not proposals_left(proposed, "c", "2026-11-22", 2)
    assert proposals_left(proposed, "c", "2026-11-22", 3)


def test_state_that_is_no_json_is_done_without(shop: Repo) -> None:
    shop.write(".git/gatilho/corrections", "{")
    assert remember(shop, "one") == 0
    assert Path(shop.path(".git/gatilho/corrections")).read_text().startswith("{")
