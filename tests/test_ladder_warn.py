"""Warn: what an agent is told at a touch, how often, and in which words."""

import pytest
from builders import BACKLOG, HEADER, Repo, row, run_hook
from claude_session import Session
from ladder_steps import ANCHOR, CONDITION, FLAKY, NOTE, PAID, TRIGGER, Play

OTHER = "src/other.py"


@pytest.fixture
def play(repo: Repo) -> Play:
    """A session in a repository with one debt whose condition fails."""
    repo.write(ANCHOR, FLAKY)
    repo.table(row("D-7f3k", TRIGGER, NOTE, paid_when=CONDITION, rides=2))
    return Play(repo)


def test_the_note_comes_first_then_what_there_is_to_know_of_it(play: Play) -> None:
    first, second = play.read().context.split("\n")
    assert first == f"Notes kept in docs/gatilhos for {ANCHOR}:"
    assert second.startswith(f"- {NOTE} [D-7f3k; debt, 2 rides; paid when {ANCHOR} contains ")
    assert second.endswith(f"; {BACKLOG}:3]")


def test_a_touch_of_another_file_says_nothing(play: Play) -> None:
    assert play.read(OTHER).answer is None


def test_once_per_session(play: Play) -> None:
    assert NOTE in play.read().context
    assert play.read().answer is None
    assert play.wrote().answer is None
    assert NOTE in Play(play.repo).read().context


def test_each_subagent_is_told_for_itself(play: Play) -> None:
    assert NOTE in play.read().context
    helper = play.agent("a1")
    assert NOTE in helper.read().context
    assert helper.read().answer is None
    assert NOTE in play.agent("a2").read().context
    assert play.read().answer is None


def test_again_after_a_compaction_and_only_to_the_agent_that_was_compacted(play: Play) -> None:
    helper = play.agent("a1")
    assert NOTE in play.read().context
    assert NOTE in helper.read().context
    assert run_hook(play.session.pre_compact()).answer is None
    assert play.read().answer is None
    play.start("compact")
    assert NOTE in play.read().context
    assert play.read().answer is None
    assert helper.read().answer is None


@pytest.mark.parametrize("source", ["resume", "clear", "fork"])
def test_no_other_start_says_it_again(play: Play, source: str) -> None:
    play.read()
    play.start(source)
    assert play.read().answer is None


def test_a_session_that_comes_back_after_twelve_hours_is_told_again(play: Play) -> None:
    from ladder_steps import HOUR, fall_silent

    play.read()
    fall_silent(play.repo, play.session, 11 * HOUR)
    assert play.read().answer is None
    fall_silent(play.repo, play.session, 13 * HOUR)
    assert NOTE in play.read().context


def test_a_session_without_an_id_is_known_by_its_transcript_else_by_tree_and_day(play: Play) -> None:
    event = {k: v for k, v in play.session.post("Read", file_path=play.repo.path(ANCHOR)).items() if k != "session_id"}
    assert NOTE in run_hook(event).context
    assert run_hook(event).answer is None
    del event["transcript_path"]
    assert NOTE in run_hook(event).context
    assert run_hook(event).answer is None


def test_rows_are_told_in_the_order_of_their_urgency(repo: Repo) -> None:
    path = r"path: ^src/a\.py$"
    repo.table(
        row("R-1", path, "a rule", lifecycle="rule", rides=9),
        row("D-1", path, "a debt", rides=0),
        row("D-2", path, "a ridden debt", rides=2),
        row("D-3", path, "a due debt", rides=3),
        row("X-1", path, "an unknown lifecycle", lifecycle="dbet"),
    )
    text = Play(repo).read("src/a.py").context
    ids = ["D-3", "D-2", "D-1", "R-1", "X-1"]
    assert sorted(ids, key=lambda row_id: text.index(f"[{row_id}; ")) == ids
    assert "[X-1; rule, 0 rides; " in text


def test_equal_notes_are_said_once_with_all_ids(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^src/", "the same"), row("D-2", r"path: \.py$", "the same"))
    text = Play(repo).read("src/a.py").context
    assert text.count("the same") == 1
    assert "[D-1; " in text
    assert "[D-2; " in text


def test_rows_of_several_files_are_one_answer(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^src/", "one"))
    repo.table(row("D-2", r"path: \.py$", "two"), file="docs/gatilhos/more/b.md")
    text = Play(repo).read("src/a.py").context
    assert "- one [D-1; " in text
    assert "- two [D-2; debt, 0 rides; paid when a person strikes its id; docs/gatilhos/more/b.md:3]" in text


def test_what_the_budget_cuts_waits_for_the_next_turn(repo: Repo) -> None:
    repo.write("gatilho.toml", "budget = 600\n")
    repo.table(*[row(f"D-{n}", r"path: ^src/a\.py$", f"note number {n} " + "x" * 260, rides=n) for n in range(3)])
    play = Play(repo)
    first = play.read("src/a.py").context
    assert "note number 2" in first
    assert "note number 1" not in first
    assert len(first) <= 600
    assert first.endswith("(2 more: gatilho why src/a.py)")
    assert play.read("src/a.py").answer is None
    play.prompt()
    assert "note number 1" in play.read("src/a.py").context
    play.prompt()
    assert "note number 0" in play.read("src/a.py").context
    play.prompt()
    assert play.read("src/a.py").answer is None


def test_a_budget_above_what_hosts_carry_is_cut(repo: Repo) -> None:
    repo.write("gatilho.toml", "budget = 100000\nbriefing = 100000\n")
    lines = [row(f"R-{n}", ["path: ^src/", "start"], f"note {n} " + "x" * 280, lifecycle="rule") for n in range(60)]
    repo.table(*lines)
    play = Play(repo)
    for text in (play.read("src/a.py").context, Play(repo).start().context):
        assert 9_000 < len(text) <= 9_500
        assert "more: gatilho " in text


def test_a_row_that_head_does_not_have_is_marked(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^src/a\.py$", "reviewed"))
    repo.table(
        row("D-1", r"path: ^src/a\.py$", "reviewed"), row("D-2", r"path: ^src/a\.py$", "not reviewed"), commit=False
    )
    text = Play(repo).read("src/a.py").context
    assert text.count("not committed yet") == 1
    assert "[D-2; debt, 0 rides; paid when a person strikes its id; not committed yet; " in text


def test_a_rule_whose_holds_while_fails_is_flagged_and_still_said(repo: Repo) -> None:
    header = HEADER.replace("| state |\n| ---", "| state | holds while |\n| ---").replace(
        "| --- |\n", "| --- | --- |\n"
    )
    line = row("R-1", r"path: ^src/a\.py$", "use the client", lifecycle="rule") + " `exists client/` |"
    repo.table(line, header=header)
    text = Play(repo).read("src/a.py").context
    assert "use the client" in text
    assert "possibly stale: client is not there" in text


@pytest.mark.parametrize("state", ["superseded 2026-01-01 by D-2", "revoked", "expired"])
def test_a_row_that_ended_is_not_said(repo: Repo, state: str) -> None:
    repo.table(row("D-1", r"path: ^src/a\.py$", state=state), row("~~D-3~~", r"path: ^src/a\.py$", state="paid"))
    assert Play(repo).read("src/a.py").answer is None


@pytest.mark.parametrize("state", ["waived until 2126-12-24", "waived", "", "whatever a person writes"])
def test_a_waived_row_and_one_of_unknown_state_are_said(repo: Repo, state: str) -> None:
    repo.table(row("D-1", r"path: ^src/a\.py$", "note one", state=state))
    assert "note one" in Play(repo).read("src/a.py").context


def test_rows_outside_their_dates_are_not_said(repo: Repo) -> None:
    repo.table(
        "| D-1 | debt | `path: a` | too early | 2126-01-01 |  |",
        "| D-2 | debt | `path: a` | too late |  | 2020-01-01 |",
        "| D-3 | debt | `path: a` | in time | 2020-01-01 | 2126-01-01 |",
        header="| id | lifecycle | trigger | note | not before | expires |\n| --- | --- | --- | --- | --- | --- |\n",
    )
    text = Play(repo).read("a").context
    assert "in time" in text
    assert "too " not in text


def test_nothing_that_steers_a_terminal_gets_out(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^src/a\.py$", "red \x1b[31m alert \u202e txet"))
    text = Play(repo).read("src/a.py").context
    assert "red " in text
    assert not {"\x1b", "\u202e"} & set(text)


@pytest.mark.parametrize(
    ("trigger", "tool", "speaks"),
    [
        (r"write: ^src/a\.py$", "Write", True),
        (r"write: ^src/a\.py$", "Read", False),
        (r"read: ^src/a\.py$", "Read", True),
        (r"read: ^src/a\.py$", "Write", False),
        (r"glob: src/**/*.py", "Read", True),
        (r"^src/a\.py$", "Read", True),
        (r"cmd: a\.py", "Read", False),
        (r"prompt: a\.py", "Read", False),
    ],
)
def test_each_kind_of_trigger_has_its_touches(repo: Repo, trigger: str, tool: str, speaks: bool) -> None:
    repo.table(row("R-1", trigger, "note one", lifecycle="rule"))
    event = Session(repo).post(tool, file_path=repo.path("src/a.py"), content="x")
    assert ("note one" in run_hook(event).context) is speaks


def test_a_command_makes_rows_speak_by_its_text_and_by_the_files_that_it_names(repo: Repo) -> None:
    repo.write("src/a.py", "x = 1\n")
    repo.table(
        row("R-1", r"cmd: ^git push\b", "pushing", lifecycle="rule"),
        row("R-2", r"path: ^src/a\.py$", "about a", lifecycle="rule"),
        row("R-3", r"write: ^src/b\.py$", "about b", lifecycle="rule"),
    )
    play = Play(repo)
    _, after = play.bash("cd src && cat a.py && echo git push")
    assert "about a" in after.context
    assert "pushing" not in after.context
    _, after = play.bash("true && git push --dry-run; true")
    assert "pushing" in after.context
    _, after = play.bash("cp src/a.py src/b.py")
    assert "about b" in after.context


def test_a_failed_tool_speaks_too(play: Play) -> None:
    event = play.session.failed("Edit", file_path=play.repo.path(ANCHOR), old_string="nowhere", new_string="x")
    assert NOTE in run_hook(event).context


def test_a_prompt_makes_its_rows_speak(repo: Repo) -> None:
    repo.table(row("R-1", r"prompt: (?i)\brelease\b", "the release list", lifecycle="rule"))
    play = Play(repo)
    assert play.prompt("fix the parser").answer is None
    assert "the release list" in play.prompt("make a Release now").context
    assert play.prompt("the release, please").answer is None


def test_a_debt_whose_condition_holds_is_not_said_and_has_evidence(play: Play) -> None:
    play.repo.write(ANCHOR, PAID)
    answer = play.read()
    assert answer.context == ""
    assert "D-7f3k is paid" in answer.person
    assert play.repo.cell("D-7f3k", "id") == "~~D-7f3k~~"
    assert play.repo.cell("D-7f3k", "state") == "paid"
    (line,) = play.repo.ledger("paid")
    assert line["evidence"] == f"`{CONDITION}: {ANCHOR}:1`".replace("`", "`")
    assert play.read().answer is None


def test_with_warn_before_the_note_comes_before_the_tool(play: Play) -> None:
    play.repo.write("gatilho.toml", 'warn = "before"\n')
    assert NOTE in run_hook(play.session.pre("Read", file_path=play.repo.path(ANCHOR))).context
    assert play.read().answer is None


def test_two_rows_of_one_id_both_speak(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^a$", "one"), row("D-1", r"path: ^b$", "two"), row("D-1", r"path: ^(a|b)$", "three"))
    play = Play(repo)
    first, second = play.read("a").context, play.read("b").context
    assert ("one" in first, "two" in first, "three" in first) == (True, False, True)
    assert ("one" in second, "two" in second, "three" in second) == (False, True, False)


def test_an_invalid_pattern_costs_its_row_and_no_other(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^src/(a", "broken"), row("D-2", r"path: ^src/a", "whole"))
    play = Play(repo)
    answer = play.read("src/a.py")
    assert "whole" in answer.context
    assert "broken" not in answer.context


def test_a_runaway_pattern_costs_a_moment_and_is_reported_once(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^(\w|\w\w|/)+\.py$", "runaway"), row("D-2", r"path: aaaa", "whole"))
    play = Play(repo)
    answer = play.read("src/" + 40 * "a" + "/file.pyc")
    assert "whole" in answer.context
    assert "took too long" in answer.person
    assert "took too long" not in play.read("lib/" + 40 * "a" + "/file.pyc").person
