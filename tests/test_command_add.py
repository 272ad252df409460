"""`gatilho add`: where a row goes, how it is spelt, what is refused, and who may add what."""

import json
import subprocess
from pathlib import Path

import pytest
from builders import BACKLOG, HEADER, PATIENCE, Answer, Repo, day, row, run_cli, run_hook
from claude_session import Session
from hypothesis import given
from hypothesis import strategies as st
from terminals import run_on_terminal

from gatilho.document.draft import Draft, digest_letters, draft_code_span, mint, without_escaped_pipes
from gatilho.document.rows import read_rows
from gatilho.document.table import cell_text, code_spans, split_cells
from gatilho.ladder.guarded_commands import guarded_verb
from gatilho.shell.command_line import read_command

RULES = "docs/gatilhos/rules.md"
KEYED = (
    "| id | lifecycle | trigger | note | rides | state | key | kind | added |\n"
    "| --- | --- | --- | --- | ---: | --- | --- | --- | --- |\n"
)
ORM = "| R-orm1 | rule | `start` | ORM: Sequelize | 0 | rule | ORM | decision | 2026-01-12 |\n"
SLEEP = ("--note", "deploy.sh waits with a fixed sleep.", "--trigger", r"path: ^scripts/deploy\.sh$")
LACKS = ("--paid-when", "lacks scripts/deploy.sh sleep 30")
AGENT = {"CLAUDECODE": "1"}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.write("scripts/deploy.sh", "sleep 30\n")
    repo.write(RULES, "# Rules\n\n" + KEYED + ORM)
    repo.table(row("D-1", r"path: ^README\.md$", "a first debt", paid_when="exists CHANGES.md"))
    return repo


def test_a_debt_goes_into_the_table_of_debts_with_a_minted_id(shop: Repo) -> None:
    before = shop.read(BACKLOG)
    done = run_cli("add", *SLEEP, *LACKS, cwd=shop.root)
    assert done.status == 0, done.stderr
    assert "does not hold (the pattern is at scripts/deploy.sh:1)" in done.stdout
    added = shop.read(BACKLOG).removeprefix(before)
    new = read_rows(shop.read_bytes(BACKLOG), BACKLOG)[0][-1]
    assert added == row(new.id, r"path: ^scripts/deploy\.sh$", SLEEP[1], paid_when=LACKS[1]) + "\n"
    assert new.id[:2] == "D-"
    assert len(new.id) == 6
    assert run_cli("check", cwd=shop.root).status == 0


def test_a_new_row_is_tried_on_the_last_commits(shop: Repo) -> None:
    for number in range(20):
        shop.write("scripts/deploy.sh", f"sleep 30 # {number}\n")
        shop.commit()
    asked = shop.git("rev-parse", "--short=7", "HEAD~17").strip()
    done = run_cli("add", *SLEEP, *LACKS, "--dry-run", cwd=shop.root)
    assert f"In the past: spoke on 21 of the last 22 commits; asked since {asked}; never paid\n" in done.stdout


def test_a_row_has_the_spacing_and_the_line_ending_of_the_row_above(repo: Repo) -> None:
    above = "|D-1|debt|`path: ^a`|a first debt|`exists b`|0|owed|\r\n"
    repo.write(BACKLOG, HEADER.replace("\n", "\r\n") + above + "\r\nProse.\r\n")
    assert run_cli("add", "--id", "D-2", "--lifecycle", "debt", *SLEEP, cwd=repo.root).status == 0
    added = "|D-2|debt|`path: ^scripts/deploy\\.sh$`|deploy.sh waits with a fixed sleep.||0|owed|\r\n"
    assert repo.read(BACKLOG) == HEADER.replace("\n", "\r\n") + above + added + "\r\nProse.\r\n"


def test_pipes_are_escaped_and_read_back(shop: Repo) -> None:
    trigger, note = r"path: ^(a|b\|c|[x\|y])$", "either a | or b"
    done = run_cli("add", "--note", note, "--trigger", trigger, "--kind", "none", "--json", cwd=shop.root)
    said = json.loads(done.stdout)
    found = next(one for one in read_rows(shop.read_bytes(RULES), RULES)[0] if one.id == said["id"])
    assert (str(found.triggers[0]), found.note) == (r"path: ^(a|b[|]c|[x|y])$", note)


def test_a_portuguese_table_gets_portuguese_words(repo: Repo) -> None:
    header = "| id | ciclo | gatilho | frase | paga quando | caronas | estado |\n|---|---|---|---|---|---|---|\n"
    repo.table(header=header)
    assert run_cli("add", "--lifecycle", "debt", *SLEEP, cwd=repo.root).status == 0
    assert repo.read(BACKLOG).endswith("| 0 | devida |\n")
    assert "| dívida |" in repo.read(BACKLOG)
    assert run_cli("check", cwd=repo.root).status == 0


@pytest.mark.parametrize(
    ("more", "code"),
    [
        pytest.param(
            (*SLEEP, "--paid-when", "contains scripts/deploy.sh sleep"), "GT231", id="condition holds already"
        ),
        pytest.param((*SLEEP, "--paid-when", "lacks scripts/gone.sh sleep"), "GT232", id="anchor gone"),
        pytest.param((*SLEEP[:2], "--trigger", "path: (a"), "GT211", id="invalid pattern"),
        pytest.param((*SLEEP[:2], "--trigger", "path: (?:a|a)+$"), "GT213", id="may backtrack without end"),
        pytest.param((*SLEEP[:2], "--trigger", "prompt: a*"), "GT212", id="matches the empty text"),
        pytest.param((*SLEEP[:2], "--trigger", "paht: x"), "GT113", id="unknown prefix"),
        pytest.param((*SLEEP, "--paid-when", "contain README.md x"), "GT117", id="misspelt condition"),
        pytest.param(("--note", "red \x1b[31m text", "--trigger", "path: ^a"), "GT251", id="hidden characters"),
    ],
)
def test_what_check_refuses_is_refused_and_nothing_is_written(shop: Repo, more: tuple[str, ...], code: str) -> None:
    done = run_cli("add", "--kind", "none", *more, cwd=shop.root)
    assert (done.status, shop.changed()) == (1, [])
    assert f" {code} " in done.stdout
    assert "Nothing was written." in done.stdout


def test_without_a_terminal_a_kind_has_to_be_named_where_the_table_has_that_column(shop: Repo) -> None:
    asked = run_cli("add", *SLEEP, cwd=shop.root)
    assert (asked.status, shop.changed()) == (2, [])
    assert "say of which kind the row is" in asked.stderr
    assert run_cli("add", *SLEEP, "--kind", "pitfall", cwd=shop.root).status == 0
    assert shop.read(RULES).endswith(f"| 0 | rule | | pitfall | {day()} |\n")


def test_a_dry_run_shows_and_writes_nothing(shop: Repo) -> None:
    done = run_cli("add", *SLEEP, *LACKS, "--dry-run", cwd=shop.root)
    assert (done.status, shop.changed()) == (0, [])
    assert "+| D-" in done.stdout
    said = json.loads(run_cli("add", *SLEEP, *LACKS, "--dry-run", "--json", cwd=shop.root).stdout)
    assert (said["written"], said["conditions"][0]["holds"], said["problems"]) == (False, False, [])


def test_a_contradiction_stops_it_until_the_author_decides(shop: Repo) -> None:
    new = ("--note", "ORM: Prisma", "--key", "orm", "--trigger", "start", "--kind", "decision")
    stopped = run_cli("add", *new, cwd=shop.root)
    assert (stopped.status, shop.changed()) == (1, [])
    assert "R-orm1 says ORM: Sequelize (added 2026-01-12, docs/gatilhos/rules.md:5)" in stopped.stdout
    assert f"this row says ORM: Prisma (added {day()}, the newer one)" in stopped.stdout
    assert "--supersedes R-orm1" in stopped.stdout
    assert run_cli("add", *new, "--supersedes", "R-orm1", cwd=shop.root).status == 0
    old, now = read_rows(shop.read_bytes(RULES), RULES)[0]
    assert old.state_text == f"superseded {day()} by {now.id}"
    assert (now.note, now.in_force) == ("ORM: Prisma", True)
    assert [line["event"] for line in shop.ledger()] == ["superseded"]


def test_an_update_changes_the_row_and_no_other_cell(shop: Repo) -> None:
    assert run_cli("add", "--update", "R-orm1", "--note", "ORM: Prisma", cwd=shop.root).status == 0
    assert shop.read(RULES) == "# Rules\n\n" + KEYED + ORM.replace("Sequelize", "Prisma").replace("2026-01-12", day())


def test_a_near_duplicate_stops_it_and_anyway_goes_on(shop: Repo) -> None:
    again = ("--note", "A first debt!", "--trigger", r"path: ^README\.md$", "--paid-when", "exists OTHER.md")
    stopped = run_cli("add", *again, cwd=shop.root)
    assert (stopped.status, shop.changed()) == (1, [])
    assert f"D-1 ({BACKLOG}:3, no date) says nearly the same (score" in stopped.stdout
    assert run_cli("add", *again, "--anyway", cwd=shop.root).status == 0
    assert len(read_rows(shop.read_bytes(BACKLOG), BACKLOG)[0]) == 2


def test_an_agent_may_add_a_row_and_agents_read_so_until_it_is_committed(shop: Repo) -> None:
    assert run_cli("add", *SLEEP, *LACKS, cwd=shop.root, env=AGENT).status == 0
    first = _read(shop)
    assert "added by an agent, not committed yet" in first.context
    shop.commit("Take the row")
    second = _read(shop)
    assert "deploy.sh waits" in second.context
    assert "committed" not in second.context


def test_a_commit_of_an_agent_does_not_take_that_back_and_one_of_a_person_does(shop: Repo) -> None:
    agent = Session(shop)
    assert run_cli("add", *SLEEP, *LACKS, cwd=shop.root, env=AGENT).status == 0
    commit = "git add -A && git commit -m 'Add a row'"
    _run(agent, shop, commit)
    assert "added by an agent, in no commit of a person yet" in _read(shop).context
    _run(agent, shop, "git commit --amend -m 'Add the row'")
    _run(agent, shop, "git switch -q -c other HEAD~1 && git cherry-pick @{-1}")
    assert "added by an agent, in no commit of a person yet" in _read(shop).context
    shop.write("src/other.py", "")
    shop.commit("Work on it")
    _run(agent, shop, "git commit --allow-empty -m 'Another one of the agent'")
    for _ in range(2):
        assert "by an agent" not in _read(shop).context


def _run(agent: Session, shop: Repo, command: str) -> None:
    """Run a command as an agent does, with a hook before and after it."""
    before = agent.pre("Bash", command=command)
    run_hook(before)
    subprocess.run(["sh", "-c", command], cwd=shop.root, check=True, capture_output=True, timeout=PATIENCE)
    run_hook({**before, "hook_event_name": "PostToolUse", "tool_response": {}})


def _read(shop: Repo) -> Answer:
    """What an agent is told that reads the script, in a session of its own."""
    return run_hook(Session(shop).post("Read", file_path=shop.path("scripts/deploy.sh")))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        pytest.param(
            (*SLEEP, "--paid-when", "passes true"), "may not add a condition that runs a command", id="command"
        ),
        pytest.param((*SLEEP, "--supersedes", "D-1"), "gatilho supersede D-1", id="supersedes"),
        pytest.param(("--update", "D-1", "--paid-when", "exists x"), "may reword its note", id="condition of a debt"),
    ],
)
def test_what_an_agent_may_not_write_is_refused(shop: Repo, more: tuple[str, ...], says: str) -> None:
    done = run_cli("add", *more, cwd=shop.root, env=AGENT)
    assert (done.status, shop.changed()) == (3, [])
    assert says in done.stderr


@pytest.mark.parametrize(
    ("command", "verb"),
    [
        ("gatilho add --note x --trigger 'path: ^a'", ""),
        ("gatilho add --update D-1 --note x", ""),
        ("gatilho add --update D-1 --paid-when 'exists x'", "add --update"),
        ("gatilho add --note x --trigger start --super'sedes' D-1", "add --supersedes"),
        ("python -m gatilho add --note x --trigger start --supersedes=D-1", "add --supersedes"),
        ("script -qc 'gatilho add --note x --supersedes D-1'", "add --supersedes"),
        ("script -qc 'gatilho remember a:b --session s'", "remember"),
        ("gatilho remember 'a: b' --session s", ""),
        ("git commit -m add --supersedes", ""),
    ],
)
def test_the_guard_knows_what_only_a_person_may_add(command: str, verb: str) -> None:
    assert guarded_verb(read_command(command).calls) == verb


def test_an_agent_may_reword_a_debt(shop: Repo) -> None:
    done = run_cli("add", "--update", "D-1", "--note", "a better note", cwd=shop.root, env=AGENT)
    assert (done.status, shop.cell("D-1", "note")) == (0, "a better note")


def test_nothing_is_written_in_the_middle_of_a_merge_or_beside_conflict_markers(shop: Repo) -> None:
    shop.write(".git/MERGE_HEAD", shop.git("rev-parse", "HEAD"))
    done = run_cli("add", *SLEEP, *LACKS, cwd=shop.root)
    assert (done.status, shop.changed()) == (1, [])
    assert "Git is in the middle of a merge" in done.stderr


def test_columns_that_no_table_has_are_named_and_a_new_file_is_made(repo: Repo) -> None:
    repo.table()
    fact = ("--note", "ORM: Prisma", "--key", "ORM", "--trigger", "start")
    done = run_cli("add", *fact, cwd=repo.root)
    assert (done.status, repo.changed()) == (1, [])
    assert "lacks `key`" in done.stderr
    assert run_cli("add", *fact, "--file", "facts.md", cwd=repo.root).status == 0
    found = read_rows(repo.read_bytes("docs/gatilhos/facts.md"), "facts.md")[0]
    assert [(one.key, one.note, one.added) for one in found] == [("ORM", "ORM: Prisma", day())]
    assert run_cli("check", cwd=repo.root).status == 0


def test_a_condition_of_a_rule_is_refused_with_what_a_rule_has_instead(shop: Repo) -> None:
    done = run_cli("add", "--lifecycle", "rule", *SLEEP, *LACKS, "--kind", "none", cwd=shop.root)
    assert (done.status, shop.changed()) == (2, [])
    assert "`--lifecycle debt`, or `--violated-when`" in done.stderr
    done = run_cli("add", "--update", "R-orm1", *LACKS, cwd=shop.root)
    assert (done.status, shop.changed()) == (1, [])


def test_a_column_that_no_table_has_is_had_in_a_new_file_as_the_message_says(shop: Repo) -> None:
    example = ("--example", "yes: scripts/deploy.sh", "--kind", "none")
    done = run_cli("add", *SLEEP, *example, cwd=shop.root)
    assert f"{RULES}:3 comes nearest and lacks `examples`. Name a new file, as in `--file more.md`" in done.stderr
    assert run_cli("add", *SLEEP, *example, "--file", "more.md", cwd=shop.root).status == 0
    done = run_cli("add", *SLEEP, "--key", "deploy", *example, "--anyway", cwd=shop.root)
    assert "`--file more-2.md`" in done.stderr


@pytest.mark.parametrize("file", ["../x.md", "ledger/x.md", "README.md", "x.txt"])
def test_a_file_that_holds_no_tables_is_a_usage_error(shop: Repo, file: str) -> None:
    assert run_cli("add", *SLEEP, "--file", file, cwd=shop.root).status == 2


def test_the_form_asks_for_what_is_not_given_and_for_a_yes(shop: Repo) -> None:
    answers = [
        "The retry path has no test.",
        "exists test_http.py",
        "1",
        "path: (client",
        "write: ^client/",
        "",
        "exists test_http.py",
        "",
    ]
    typed = "\n".join([*answers, "y", ""])
    done = run_on_terminal("add", cwd=shop.root, typed=typed)
    assert done.status == 0, done.stdout + done.stderr
    assert "exists test_http.py is not one of them." in done.stdout
    assert "is not a regular expression: missing )" in done.stdout
    new = read_rows(shop.read_bytes(BACKLOG), BACKLOG)[0][-1]
    assert (new.note, str(new.triggers[0]), new.lifecycle) == (answers[0], "write: ^client/", "debt")
    assert [str(one) for one in new.conditions] == ["exists test_http.py"]


def test_a_form_that_is_not_confirmed_or_ends_early_writes_nothing(shop: Repo) -> None:
    for typed in ("A note.\n3\npath: ^a\n\nnone\n\n\nn\n", "A note.\n"):
        assert run_on_terminal("add", cwd=shop.root, typed=typed).status == 1
        assert shop.changed() == []


def test_the_form_offers_the_key_the_owner_and_the_dates_that_the_table_has(shop: Repo) -> None:
    header = KEYED.replace("kind | added |", "owner | added | expires |")
    shop.write(RULES, header.replace("| --- |\n", "| --- | --- |\n", 1))
    answers = ["Ship on Monday.", "3", "path: ^a/", "", "day", "Ana", "2026-02-30", "2026-02-01", "2099-01-01", "y", ""]
    done = run_on_terminal("add", cwd=shop.root, typed="\n".join(answers))
    assert done.status == 0, done.stdout + done.stderr
    assert "2026-02-30 is not a date" in done.stdout
    (new,) = read_rows(shop.read_bytes(RULES), RULES)[0]
    assert (new.key, new.owner, new.added, new.expires) == ("day", "Ana", "2026-02-01", "2099-01-01")


def test_on_a_terminal_the_author_is_asked_about_a_contradiction(shop: Repo) -> None:
    new = ("--note", "ORM: Prisma", "--key", "ORM", "--trigger", "start", "--kind", "decision")
    assert run_on_terminal("add", *new, cwd=shop.root, typed="s\n").status == 0
    assert [one.state for one in read_rows(shop.read_bytes(RULES), RULES)[0]] == ["superseded", "rule"]


@given(st.text(alphabet="ab`|\\ ", min_size=1, max_size=12))
def test_a_code_span_reads_back(text: str) -> None:
    line = f"| {draft_code_span(text)} | x |".encode()
    start, end = split_cells(line)[0]
    stripped = text.strip(" ") if text.strip(" ") else text
    if "\\|" in text:  # the reader takes one backslash off each pipe; `add` spells such patterns without it
        return
    assert [one.strip(" ") for one in code_spans(cell_text(line[start:end]))] == [stripped.strip(" ")]


@pytest.mark.parametrize(
    ("pattern", "same"),
    [
        (r"a\|b", "a[|]b"),
        (r"[a\|b]\|", "[a|b][|]"),
        (r"[]\|]x", "[]|]x"),
        (r"[^]\|]x", "[^]|]x"),
        (r"a\\|b", r"a\\|b"),
        ("a|b", "a|b"),
    ],
)
def test_a_pipe_that_means_itself_is_spelt_without_a_backslash(pattern: str, same: str) -> None:
    assert without_escaped_pipes(pattern) == same


def test_minted_ids_avoid_those_that_are_taken_and_proposals_have_the_same_id_each_time() -> None:
    draws = iter([b"\0\0\0\0", b"\1\1\1\1"])
    assert mint("debt", {"D-0000"}.__contains__, lambda _: next(draws)) == "D-1111"
    assert digest_letters("x") == digest_letters("x") != digest_letters("y")


def test_a_draft_fills_only_the_columns_of_its_table() -> None:
    draft = Draft(note="a", triggers=("start",), id="R-1", key="k")
    assert draft.cells({"id": "id", "trigger": "gatilho", "note": "nota"}) == {
        "id": "R-1", "trigger": "`start`", "note": "a",
    }  # fmt: skip


def test_the_repository_of_another_folder_is_written_with_root(shop: Repo, tmp_path: Path) -> None:
    assert run_cli("add", "--root", str(shop.root), *SLEEP, *LACKS, cwd=tmp_path).status == 0
    assert shop.changed() == [BACKLOG]
