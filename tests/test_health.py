"""`health`: its figures from rows, ledger and sessions, their thresholds, and the edits that they ask for."""

import json
from collections.abc import Callable

import pytest
from builders import BACKLOG, Output, Repo, row

from gatilho.ledger.tally import Entry
from gatilho.memory import health, metrics
from gatilho.memory.health import Figure, Health, HealthRow, days_to_payment
from gatilho.memory.metrics import RowOutcome, SessionRecord
from gatilho.model import Row, Trigger

TODAY = "2026-11-30"


def health_row(row_id: str, word: str = "rule", count: int = 0, **cells: object) -> HealthRow:
    made = Row(row_id, **{"triggers": (Trigger("path", "^a$"),), "lifecycle": "rule", **cells})  # type: ignore[arg-type]
    return HealthRow(made, word, count)


def session(number: int, *heard: str, ignored: str = "", asked: str = "") -> SessionRecord:
    outcomes = [RowOutcome("", name, "warning", "ignored", TODAY) for name in (ignored,) if name]
    outcomes += [RowOutcome("", name, "prompt", "answered", TODAY) for name in (asked,) if name]
    return SessionRecord(f"{number:08x}", "claude", TODAY, tuple(("", name) for name in heard), tuple(outcomes))


def figures_of(*rows: HealthRow, sessions: list[SessionRecord] | None = None, **more: object) -> dict[str, Figure]:
    made = Health(rows, TODAY, 3, (), (), metrics.behaviour_of(sessions or []))
    made = made.replace(**more)
    sections = [*health.health_sections(made), *health.behaviour_sections(made)]
    names = [one.name for section in sections for one in section.figures]
    assert len(names) == len(set(names))
    return {one.name: one for section in sections for one in section.figures}


def ids(figure: Figure) -> list[str]:
    return [one.id for one in figure.rows]


def test_totals_are_by_lifecycle_state_kind_and_scope() -> None:
    found = figures_of(
        health_row("D-1", "owed", lifecycle="debt"),
        health_row("R-1", kind="my kind"),
        health_row("P-1", store="personal"),
    )
    assert {name: found[name].value for name in ("all", "lifecycle-debt", "kind-none", "scope-personal")} == {
        "all": 3, "lifecycle-debt": 1, "kind-none": 2, "scope-personal": 1,
    }  # fmt: skip
    assert found["kind-my kind"].command == "gatilho list --all --kind 'my kind'"


def test_ages_are_of_rows_in_force() -> None:
    found = figures_of(
        health_row("A", added=TODAY), health_row("B", added="2026-10-01"), health_row("C", added="2020-01-01"),
        health_row("D"), health_row("E", added="2027-01-01"), health_row("F", "revoked", added=TODAY, state="revoked"),
    )  # fmt: skip
    assert [ids(found[f"age-{name}"]) for name in ("30", "90", "180", "365", "more", "unknown")] == [
        ["A", "E"], ["B"], [], [], ["C"], ["D"],
    ]  # fmt: skip


def test_rules_by_what_sessions_heard() -> None:
    rules = [
        health_row("ALWAYS"), health_row("NEVER"), health_row("RIDDEN", count=1), health_row("BAD"),
        health_row("START", triggers=(Trigger("start", ""),)),
    ]  # fmt: skip
    sessions = [session(n, "ALWAYS", "START", *["BAD"][: n < 3], ignored="BAD" if n < 3 else "") for n in range(30)]
    found = figures_of(*rules, sessions=sessions)
    assert ids(found["rules-always"]) == ["ALWAYS"]
    assert ids(found["rules-never"]) == ["NEVER"]
    assert ids(found["rules-violated"]) == ["BAD"]
    assert found["rules-always"].findings[0].says == "ALWAYS was heard in 30 of 30 sessions"
    assert "gatilho revoke NEVER --why" in found["rules-never"].findings[0].edit
    fewer = figures_of(*rules, sessions=sessions[:9])
    assert [ids(fewer[f"rules-{name}"]) for name in ("always", "never", "violated")] == [[], [], ["BAD"]]


def test_debts_by_rides_and_age() -> None:
    found = figures_of(
        health_row("D-0", "owed", lifecycle="debt"), health_row("D-2", "owed", 2, lifecycle="debt", added="2026-01-01"),
        health_row("D-9", "owed", 9, lifecycle="debt", added=TODAY),
    )  # fmt: skip
    assert [ids(found[f"rides-{name}"]) for name in ("0", "1", "2", "more")] == [["D-0"], [], ["D-2"], ["D-9"]]
    assert ids(found["old-debts"]) == ["D-2"]
    assert "2026-01-01, 2 rides" in found["old-debts"].findings[0].says


def test_payments_and_what_came_back() -> None:
    life = (
        Entry("2026-01-01 10:00:00", "D-1", "charged", 1, 0, "a"),
        Entry("2026-01-05 10:00:00", "D-1", "paid", 1),
        Entry("2026-01-06 10:00:00", "D-1", "regressed", 1),
        Entry("2026-01-11 10:00:00", "D-1", "paid", 1),
    )
    assert days_to_payment(life) == 10
    assert days_to_payment(life[:1]) is None
    found = figures_of(health_row("D-1", "paid", 1, lifecycle="debt", struck=True).replace(entries=life))
    assert (found["time-to-payment"].value, found["time-to-payment"].unit) == (10, "days")
    assert found["regressed"].findings[0].says == "D-1 was owed again once, and is paid now"


def test_the_second_violation_of_a_pitfall_counts_and_the_third_repeated_question_asks() -> None:
    rows = health_row("P-1", kind="pitfall"), health_row("Q-1")
    found = figures_of(*rows, sessions=[session(n, ignored="P-1", asked="Q-1") for n in range(4)])
    assert found["pitfalls"].value == 3
    assert found["repeated"].value == 3
    assert found["repeated"].findings[0].edit == "give Q-1 the trigger `start`, or write its note into AGENTS.md"
    assert found["ignored"].value == 4


def test_more_ended_rows_than_rows_in_force() -> None:
    ended = [health_row(f"E-{n}", "revoked", state="revoked") for n in range(3)]
    found = figures_of(health_row("R-1"), *ended)["archived"]
    assert (found.value, len(found.findings)) == (3, 1)
    assert figures_of(health_row("R-1"), *ended[:2])["archived"].findings == ()


HEADER = "| id | lifecycle | trigger | note | rides | state | key | added |\n| - | - | - | - | - | - | - | - |\n"


def test_contradictions_are_status_1_and_each_figure_lists_its_rows(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.write("src/a.py", "")
    repo.table(
        "| K-1 | rule | `path: ^src/a` | tabs | 0 | rule | indent | 2026-11-10 |",
        "| K-2 | rule | `path: ^src/a` | spaces | 0 | rule | Indent | 2026-01-10 |",
        "| D-1 | debt | `path: ^src/gone` | nobody reads this file | 3 | owed | | |",
        "| X-1 | rule | `path: ^src/old` | two rows with one id | 0 | rule | | |",
        "| X-1 | rule | `path: ^src/a` | differ in what they match | 0 | rule | | |",
        header=HEADER,
    )
    done = run_cli("health")
    assert done.status == 1
    assert "key indent: K-1, K-2 → gatilho supersede K-2 K-1" in done.stdout
    assert "D-1 may be out of date → correct the trigger" in done.stdout
    assert done.stdout.count("X-1 may be out of date") == 1
    dead = json.loads(run_cli("health", "--rows", "dead-triggers", "--json").stdout)["rows"]
    assert sorted(one["note"] for one in dead) == ["nobody reads this file", "two rows with one id"]
    said = json.loads(run_cli("health", "--json").stdout)
    assert (said["schema_version"], said["rows"]) == (1, 5)
    for section in said["sections"]:
        for figure in section["figures"]:
            if figure["rows"]:
                listed = run_cli(*figure["command"].split()[1:], "--json")
                found = {(one["store"], one["id"]) for one in json.loads(listed.stdout)["rows"]}
                assert found == {(one["store"], one["id"]) for one in figure["rows"]}, figure["name"]


def test_a_figure_that_is_not_there_is_a_usage_error(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(row("D-1", "path: x"))
    done = run_cli("health", "--rows", "old-debt")
    assert (done.status, done.stderr) == (
        2,
        "gatilho: --rows old-debt: there is no such figure. Did you mean old-debts?\n",
    )


@pytest.mark.parametrize("arguments", [[], ["--behaviour"]], ids=["health", "behaviour"])
def test_an_empty_store_is_healthy(repo: Repo, run_cli: Callable[..., Output], arguments: list[str]) -> None:
    repo.write(BACKLOG, "# Nothing\n")
    done = run_cli("health", *arguments)
    assert (done.status, done.stdout.split(".")[0]) == (0, "No rows yet")
