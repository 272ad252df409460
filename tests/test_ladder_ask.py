"""Ask: which writes stop, who decides, what lets them pass, and what the ledger says of it."""

import pytest
from builders import BACKLOG, Answer, Repo, row, run_hook
from claude_session import Session
from ladder_steps import ANCHOR, CONDITION, FLAKY, HOUR, NOTE, PAID, TRIGGER, Play, fall_silent

DEBT = "D-7f3k"
WORK = FLAKY.replace("== 1", "== 2")
ASKING = ("default", "acceptEdits", "plan")
SILENT = ("bypassPermissions", "dontAsk", "auto", "a mode of the future")


def due(repo: Repo, rides: int = 3, **fields: object) -> None:
    repo.write(ANCHOR, FLAKY)
    repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION, rides=rides, **fields))  # type: ignore[arg-type]


def play_in(repo: Repo, mode: str = "default") -> Play:
    return Play(repo, Session(repo, mode=mode))


def test_below_three_rides_nobody_is_asked(repo: Repo) -> None:
    due(repo, rides=2)
    assert play_in(repo).before_write().answer is None


def test_the_fourth_session_is_asked(repo: Repo) -> None:
    due(repo, rides=0)
    for _ in range(3):
        play = Play(repo)
        assert play.before_write().decision == ""
        play.turn()
    assert repo.rides(DEBT) == 3
    assert Play(repo).before_write().decision == "ask"


def test_a_read_is_never_stopped(repo: Repo) -> None:
    due(repo)
    play = play_in(repo)
    assert run_hook(play.session.pre("Read", file_path=repo.path(ANCHOR))).answer is None
    assert run_hook(play.session.pre("Bash", command=f"cat {ANCHOR}")).answer is None
    assert f"{DEBT} is due after 3 rides" in play.read().person


@pytest.mark.parametrize("rides", [0, 3, 99])
def test_a_rule_never_asks(repo: Repo, rides: int) -> None:
    due(repo, rides, lifecycle="rule")
    assert play_in(repo).before_write().answer is None


@pytest.mark.parametrize("lifecycle", ["", "dbet", "regra"])
def test_an_unknown_lifecycle_is_a_rule(repo: Repo, lifecycle: str) -> None:
    due(repo, 9, lifecycle=lifecycle)
    assert play_in(repo).before_write().answer is None


@pytest.mark.parametrize("mode", ASKING)
def test_where_a_person_decides_the_person_is_asked(repo: Repo, mode: str) -> None:
    due(repo)
    answer = play_in(repo, mode).before_write()
    assert answer.decision == "ask"
    assert NOTE in answer.reason
    assert f"[{DEBT}; debt, 3 rides; " in answer.reason
    assert f"`ok {DEBT}`" in answer.reason
    assert f"{DEBT} is due after 3 rides" in answer.person


@pytest.mark.parametrize("mode", SILENT)
def test_where_an_ask_would_pass_or_die_unseen_the_answer_is_no(repo: Repo, mode: str) -> None:
    due(repo)
    answer = play_in(repo, mode).before_write()
    assert answer.decision == "deny"
    assert NOTE in answer.reason
    agent, owner = answer.reason.split("\n")[-2:]
    assert (
        agent
        == "Agent: an edit that makes the condition hold is never stopped; otherwise leave the file and ask the owner."
    )
    assert owner.startswith(f"Owner: type `ok {DEBT}` on its own line to allow writes in this session, or ")
    assert f"`waive {DEBT} until YYYY-MM-DD: reason`" in owner


def test_a_debt_that_only_a_person_pays_says_so(repo: Repo) -> None:
    repo.table(row(DEBT, TRIGGER, NOTE, rides=3))
    reason = play_in(repo, "dontAsk").before_write().reason
    assert "Agent: leave the file and ask the owner; a person pays this debt by striking its id." in reason


def test_once_per_session_after_the_owners_yes(repo: Repo) -> None:
    due(repo)
    play = play_in(repo)
    assert play.before_write().decision == "ask"
    assert play.before_write().decision == "ask"  # the first was refused: nothing came after it
    play.allowed_write(ANCHOR, WORK)
    assert play.before_write().decision == ""
    assert play.agent("a1").before_write().decision == ""
    assert play_in(repo).before_write().decision == "ask"


def test_the_yes_is_in_the_ledger_with_its_mode_and_the_ride_is_counted(repo: Repo) -> None:
    due(repo)
    play = play_in(repo, "acceptEdits")
    play.allowed_write(ANCHOR, WORK)
    assert repo.ledger() == []
    play.stop()
    lines = {line["event"]: line for line in repo.ledger()}
    assert sorted(lines) == ["allowed", "asked", "charged"]
    assert lines["asked"]["evidence"] == ANCHOR
    assert lines["asked"]["rides"] == "3"
    assert lines["asked"]["by"] == "program claude"
    assert lines["allowed"]["evidence"] == "permission mode acceptEdits"
    assert lines["allowed"]["by"] == "person claude"
    assert len(list((repo.root / "docs/gatilhos/ledger").iterdir())) == 1
    assert repo.rides(DEBT) == 4


def test_a_refused_ask_leaves_its_line_and_no_ride(repo: Repo) -> None:
    due(repo)
    play = play_in(repo)
    play.before_write()
    play.before_write()
    play.stop()
    assert [line["event"] for line in repo.ledger()] == ["asked"]
    assert repo.rides(DEBT) == 3


def test_of_two_parallel_questions_each_yes_counts(repo: Repo) -> None:
    """The owner allows the call that was asked about first and refuses the other."""
    due(repo)
    play = play_in(repo)
    first = {"file_path": repo.path(ANCHOR), "content": WORK}
    second = {"file_path": repo.path(ANCHOR), "content": WORK + "# more\n"}
    assert run_hook(play.session.pre("Write", **first)).decision == "ask"
    assert run_hook(play.session.pre("Write", **second)).decision == "ask"
    repo.write(ANCHOR, WORK)
    run_hook(play.session.post("Write", **first))
    assert play.before_write().decision == ""
    play.stop()
    assert [line["event"] for line in repo.ledger("allowed")] == ["allowed"]


def test_a_denied_write_that_happened_all_the_same_is_in_the_ledger_once(repo: Repo) -> None:
    due(repo)
    play = play_in(repo, "bypassPermissions")
    play.before_write(content=WORK)
    repo.write(ANCHOR, WORK)
    event = play.session.post("Write", file_path=repo.path(ANCHOR), content=WORK)
    run_hook(event)
    run_hook(event)
    play.stop()
    (line,) = repo.ledger("passed anyway")
    assert line["evidence"] == "permission mode bypassPermissions"
    assert line["by"] == "agent claude"
    assert play.before_write().decision == "deny"  # nobody said yes


def test_a_denied_call_that_the_host_reports_as_failed_did_not_pass(repo: Repo) -> None:
    due(repo)
    play = play_in(repo, "dontAsk")
    play.before_write(content=WORK)
    run_hook(play.session.failed("Write", file_path=repo.path(ANCHOR), content=WORK))
    play.stop()
    assert [line["event"] for line in repo.ledger()] == ["asked"]


def test_a_denial_reaches_the_agent_so_the_row_is_told(repo: Repo) -> None:
    due(repo)
    play = play_in(repo, "dontAsk")
    play.before_write()
    assert play.read().context == ""
    play.bash("make fmt", happens=lambda: repo.write(ANCHOR, WORK))
    play.stop()
    assert repo.rides(DEBT) == 4


def test_an_ask_does_not(repo: Repo) -> None:
    due(repo)
    play = play_in(repo)
    play.before_write()
    assert NOTE in play.read().context


class TestThresholds:
    def test_the_configured_number(self, repo: Repo) -> None:
        repo.write("gatilho.toml", "ask_after = 1\n")
        due(repo, rides=1)
        assert play_in(repo).before_write().decision == "ask"

    @pytest.mark.parametrize(
        ("ask_after", "rides", "asks"), [("5", 4, False), ("5", 5, True), ("0", 0, True), ("", 3, True)]
    )
    def test_the_rows_own_column(self, repo: Repo, ask_after: str, rides: int, asks: bool) -> None:
        header = "| id | lifecycle | trigger | note | rides | ask after |\n| --- | --- | --- | --- | --- | --- |\n"
        repo.table(f"| D-1 | debt | `path: ^a$` | a note | {rides} | {ask_after} |", header=header)
        assert (play_in(repo).before_write("a").decision == "ask") is asks

    def test_the_count_in_force_is_the_larger_of_cell_and_ledger(self, repo: Repo) -> None:
        due(repo, rides=2)
        Play(repo).turn()
        due(repo, rides=0)  # somebody wrote the table anew
        assert play_in(repo).before_write().decision == "ask"

    def test_a_waiver_silences_the_ask_until_its_date_and_not_the_ride(self, repo: Repo) -> None:
        due(repo, state="waived until 2126-12-24: release week")
        play = play_in(repo)
        assert play.before_write().decision == ""
        assert NOTE in play.wrote().context
        play.stop()
        assert repo.rides(DEBT) == 4

    @pytest.mark.parametrize("state", ["waived until 2020-12-24", "waived until further notice"])
    def test_a_waiver_that_is_over_or_cannot_be_read_silences_nothing(self, repo: Repo, state: str) -> None:
        due(repo, state=state)
        assert play_in(repo).before_write().decision == "ask"


class TestThePayingWrite:
    """A write that pays is never stopped, in whatever shape it comes and whatever the mode."""

    @pytest.mark.parametrize("mode", ["default", "dontAsk"])
    @pytest.mark.parametrize(
        ("tool", "arguments"),
        [
            ("Write", {"content": PAID}),
            ("Edit", {"old_string": "test_retry()", "new_string": "test_retry(frozen_clock)"}),
            ("Edit", {"old_string": "retry", "new_string": "frozen_clock", "replace_all": True}),
            ("MultiEdit", {"edits": [{"old_string": "== 1", "new_string": "== 2"}, {"old_string": "y()", "new_string": "y(frozen_clock)", "replace_all": True}]}),
        ],
        ids=["Write", "Edit", "Edit everywhere", "MultiEdit"],
    )  # fmt: skip
    def test_it_passes(self, repo: Repo, mode: str, tool: str, arguments: dict[str, object]) -> None:
        due(repo)
        assert run_hook(play_in(repo, mode).session.pre(tool, file_path=repo.path(ANCHOR), **arguments)).answer is None

    def test_and_is_recorded_when_it_happened(self, repo: Repo) -> None:
        due(repo)
        play = play_in(repo, "dontAsk")
        _, after = play.write(ANCHOR, PAID)
        assert after is not None
        assert after.context == ""
        assert f"{DEBT} is paid" in after.person
        play.stop()
        assert repo.cell(DEBT, "id") == f"~~{DEBT}~~"
        assert repo.rides(DEBT) == 3
        assert [line["event"] for line in repo.ledger()] == ["paid"]

    @pytest.mark.parametrize("tool", ["Write", "Edit"])
    def test_one_that_does_not_pay_is_stopped(self, repo: Repo, tool: str) -> None:
        due(repo)
        arguments = {"content": WORK} if tool == "Write" else {"old_string": "== 1", "new_string": "== 2"}
        assert run_hook(play_in(repo).session.pre(tool, file_path=repo.path(ANCHOR), **arguments)).decision == "ask"

    def test_one_that_pays_one_of_two_is_asked_about_the_other(self, repo: Repo) -> None:
        repo.write(ANCHOR, FLAKY)
        repo.table(
            row("D-1", TRIGGER, "one", paid_when=CONDITION, rides=3),
            row("D-2", TRIGGER, "two", paid_when=f"contains {ANCHOR} tenacity", rides=3),
        )
        reason = play_in(repo).before_write(content=PAID).reason
        assert "[D-2; " in reason
        assert "[D-1; " not in reason

    def test_a_debt_that_is_paid_already_is_recorded_and_the_write_passes(self, repo: Repo) -> None:
        due(repo)
        repo.write(ANCHOR, PAID)
        answer = play_in(repo, "dontAsk").before_write(content=WORK)
        assert answer.decision == ""
        assert f"{DEBT} is paid" in answer.person
        assert repo.cell(DEBT, "state") == "paid"


class TestCommands:
    def test_a_command_that_writes_the_anchor_is_asked_about(self, repo: Repo) -> None:
        due(repo)
        before, _ = play_in(repo).bash(f"sed -i s/1/2/ {ANCHOR}")
        assert before.decision == "ask"
        assert repo.read(ANCHOR) == FLAKY

    def test_a_command_trigger_is_its_own_write(self, repo: Repo) -> None:
        repo.table(row("D-1", r"cmd: ^make release\b", "note one", rides=3))
        before, _ = play_in(repo, "dontAsk").bash("cd . && make release")
        assert before.decision == "deny"
        assert "for this command:" in before.reason

    def test_and_is_allowed_by_running(self, repo: Repo) -> None:
        repo.table(row("D-1", r"cmd: ^make release\b", "note one", rides=3))
        play = play_in(repo)
        run_hook(play.session.pre("Bash", command="make release"))
        run_hook(play.session.failed("Bash", command="make release"))  # it ran, for the owner said yes
        before, _ = play.bash("make release", happens=lambda: None)
        assert before.decision == ""


class TestTheOwnersAnswer:
    @pytest.mark.parametrize(
        "text", [f"ok {DEBT}", f"go on\n\nok {DEBT}\nthanks", f"  `ok {DEBT}`  ", f"OK {DEBT}.", f"ok {DEBT} and so on"]
    )
    def test_ok_lets_the_writes_of_the_session_pass(self, repo: Repo, text: str) -> None:
        due(repo)
        play = play_in(repo, "dontAsk")
        assert play.before_write().decision == "deny"
        assert f"{DEBT}: writes are allowed in this session." in play.prompt(text).person
        assert play.before_write().decision == ""
        play.turn()
        assert repo.rides(DEBT) == 4
        (line,) = repo.ledger("allowed")
        assert line["evidence"] == "answered in the prompt, for this session"
        assert line["by"] == "person claude"
        assert play_in(repo, "dontAsk").before_write().decision == "deny"

    @pytest.mark.parametrize("text", [f"is it ok {DEBT}?", "ok", "ok re-run", f"not ok\n{DEBT}"])
    def test_anything_else_is_prose(self, repo: Repo, text: str) -> None:
        due(repo)
        play = play_in(repo, "dontAsk")
        play.before_write()
        assert play.prompt(text).answer is None
        assert play.before_write().decision == "deny"

    @pytest.mark.parametrize(
        "fields", [{"agent_id": "a1"}, {"source": "loop_wakeup"}, {"source": "system"}, {"source": "poll_event"}]
    )
    def test_an_agent_and_a_machine_answer_nothing(self, repo: Repo, fields: dict[str, str]) -> None:
        due(repo)
        play = play_in(repo, "dontAsk")
        play.before_write()
        play.prompt(f"ok {DEBT}", **fields)
        play.prompt(f"waive {DEBT} until 2126-12-24: because", **fields)
        assert play.before_write().decision == "deny"
        assert repo.cell(DEBT, "state") == "owed"

    def test_before_anything_was_asked(self, repo: Repo) -> None:
        due(repo)
        play = play_in(repo)
        play.prompt(f"ok {DEBT}")
        assert play.before_write().decision == ""

    def test_a_waiver_is_written_with_date_and_reason(self, repo: Repo) -> None:
        due(repo)
        play = play_in(repo, "dontAsk")
        play.before_write()
        answer = play.prompt(f"waive {DEBT} until 2126-12-24: release week")
        assert f"{DEBT} is waived until 2126-12-24" in answer.person
        assert repo.cell(DEBT, "state") == "waived until 2126-12-24"
        (line,) = repo.ledger("waived")
        assert (line["evidence"], line["by"], line["rides"]) == ("release week", "person claude", "3")
        assert play.before_write().decision == ""
        assert play_in(repo, "dontAsk").before_write().decision == ""

    @pytest.mark.parametrize(
        "text", [f"waive {DEBT} until 2020-01-01: late", f"waive {DEBT}", f"waive {DEBT} until soon: x"]
    )
    def test_a_waiver_needs_a_day_that_lies_ahead(self, repo: Repo, text: str) -> None:
        due(repo)
        play = play_in(repo, "dontAsk")
        person = play.prompt(text).person
        assert ("is not a day after today" in person) is ("2020" in text)
        assert repo.cell(DEBT, "state") == "owed"
        assert play.before_write().decision == "deny"

    def test_an_id_that_no_row_has_is_said_to_be_none(self, repo: Repo) -> None:
        due(repo)
        assert play_in(repo).prompt("ok D-none").person == ("gatilho: No row D-none, so your answer was ignored.")

    def test_what_is_not_owed_is_said_to_be(self, repo: Repo) -> None:
        repo.table(row("R-1", TRIGGER, lifecycle="rule"), row("~~D-2~~", TRIGGER, state="paid"))
        person = play_in(repo).prompt("ok R-1\nok D-2").person
        assert "R-1 is not an open debt" in person
        assert "D-2 is not an open debt" in person

    @pytest.mark.parametrize("text", ["ok D-0", "ok D-6", "waive D-3 until 2126-12-24: release week"])
    def test_one_answer_covers_all_that_the_question_counted(self, repo: Repo, text: str) -> None:
        repo.write("gatilho.toml", "budget = 900\n")
        repo.table(*[row(f"D-{n}", r"path: ^a$", f"note {n} " + "x" * 150, rides=9 - n) for n in range(7)])
        play = play_in(repo, "dontAsk")
        reason = play.before_write("a").reason
        assert "[D-0; " in reason
        assert "[D-6; " not in reason
        assert "more: gatilho list --due)" in reason
        assert len(reason) <= 900
        play.prompt(text)
        assert play.before_write("a").decision == ""
        play.turn()
        assert len(repo.ledger("allowed")) + len(repo.ledger("waived")) == 7

    def test_and_no_row_that_it_did_not_count(self, repo: Repo) -> None:
        repo.table(
            row("D-1", r"path: ^a$", rides=3), row("D-2", r"path: ^(a|b)$", rides=3), row("D-3", r"path: ^b$", rides=3)
        )
        play = play_in(repo, "dontAsk")
        play.before_write("a")
        play.prompt("ok D-1")
        assert play.before_write("a").decision == ""
        reason = play.before_write("b").reason
        assert "[D-3; " in reason
        assert "[D-2; " not in reason

    def test_it_is_over_after_twelve_hours_of_silence(self, repo: Repo) -> None:
        due(repo)
        play = play_in(repo, "dontAsk")
        play.prompt(f"ok {DEBT}")
        assert play.before_write().decision == ""
        fall_silent(repo, play.session, 13 * HOUR)
        assert play.before_write().decision == "deny"


class TestUnattended:
    def test_warn_lets_the_write_pass_on_the_record(self, repo: Repo) -> None:
        repo.write("gatilho.toml", 'unattended = "warn"\n')
        due(repo)
        play = play_in(repo, "bypassPermissions")
        assert play.before_write().decision == ""
        play.turn()
        (line,) = repo.ledger("passed anyway")
        assert line["evidence"] == f"{ANCHOR}, permission mode bypassPermissions"

    def test_where_a_person_is_there_it_asks_all_the_same(self, repo: Repo) -> None:
        repo.write("gatilho.toml", 'unattended = "warn"\n')
        due(repo)
        assert play_in(repo, "default").before_write().decision == "ask"

    def test_record_tells_the_agent_how_to_waive(self, repo: Repo) -> None:
        repo.write("gatilho.toml", 'unattended = "record"\n')
        due(repo)
        play = play_in(repo, "bypassPermissions")
        answer = play.before_write()
        assert answer.decision == "deny"
        assert f"`gatilho waive {DEBT} --until YYYY-MM-DD --why TEXT`" in answer.reason
        assert (
            run_hook(play.session.pre("Bash", command=f"gatilho waive {DEBT} --until 2126-01-01 --why x")).decision
            == ""
        )
        assert run_hook(play.session.pre("Bash", command=f"gatilho pay {DEBT} --why x")).decision == "deny"


@pytest.mark.parametrize(
    ("row_id", "note"), [("D-1", "x" * 6000 + " \x1b[31m"), ("D" * 6000, "a note")], ids=["note", "id"]
)
def test_the_reason_is_within_the_budget_whatever_a_row_holds(repo: Repo, row_id: str, note: str) -> None:
    repo.table(row(row_id, r"path: ^a$", note, rides=3))
    answer: Answer = play_in(repo, "dontAsk").before_write("a")
    assert len(answer.reason) <= 4000
    assert "\x1b" not in answer.reason
    assert "Owner: " in answer.reason


def test_a_row_whose_id_is_shared_asks_until_its_condition_holds(repo: Repo) -> None:
    due(repo)
    line = row(DEBT, TRIGGER, NOTE, paid_when=CONDITION, rides=3)
    repo.table(line, line)
    play = play_in(repo)
    assert play.before_write().decision == "ask"
    repo.write(ANCHOR, PAID)
    before = repo.read(BACKLOG)
    assert play.before_write().decision == ""
    play.stop()
    assert repo.read(BACKLOG) == before
