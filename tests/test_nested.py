"""Nested stores of a monorepo: `services/pay/docs/gatilhos` holds for what lies below `services/pay/`."""

import json
import os
from pathlib import Path

import pytest
from builders import Repo, row, run_cli, run_hook
from claude_session import Session, bash, edit, turn

from gatilho.git.root import stores_above

PAY = "services/pay/docs/gatilhos/backlog.md"
RULE = row("P-1", r"path: ^src/api\.py$", "keep the payment api stable", lifecycle="rule")
DEBT = row("P-2", "glob: src/*.py", "retry the card", paid_when=r"contains src/api.py \bretry\b")


@pytest.fixture
def mono(repo: Repo) -> Repo:
    """A repository with a store at its root and one below services/pay."""
    for name in ("src/api.py", "services/pay/src/api.py", "services/ship/src/api.py"):
        repo.write(name, "x = 1\n")
    repo.table(row("D-1", r"path: src/api\.py$", "every api", lifecycle="rule"))
    repo.table(RULE, DEBT, file=PAY)
    return repo


def test_its_rows_see_paths_from_its_folder_on_and_speak_below_it_alone(mono: Repo) -> None:
    below = turn(mono, edit("services/pay/src/api.py", "1", "2"))
    assert "every api" in below.context
    assert "keep the payment api stable" in below.context
    assert "retry the card" in below.context
    assert below.context.index("keep the payment") < below.context.index("every api"), "nearest first"
    for other in ("src/api.py", "services/ship/src/api.py"):
        said = turn(mono, edit(other, "1", "2")).context
        assert "every api" in said
        assert "payment" not in said
        assert "retry the card" not in said


def test_rides_and_payments_are_written_where_the_row_is(mono: Repo) -> None:
    turn(mono, edit("services/pay/src/api.py", "1", "2"))
    assert mono.rides("P-2", PAY) == 1
    assert mono.rides("D-1") == 1
    (line,) = ledger(mono)
    assert (line["id"], line["event"], line["evidence"]) == ("P-2", "charged", "src/api.py")
    turn(mono, edit("services/pay/src/api.py", "2", "retry"))
    assert mono.cell("P-2", "state", PAY) == "paid"
    assert sorted(line["event"] for line in ledger(mono)) == ["charged", "paid"]
    assert not any("services/pay" in line["evidence"] for line in ledger(mono))
    assert mono.ledger() == []


def rows_by_id(folder: Path) -> dict[str, dict[str, str]]:
    """What `list` shows in a folder."""
    return {one["id"]: one for one in json.loads(run_cli("list", "--json", cwd=folder).stdout)["rows"]}


def ledger(repo: Repo) -> list[dict[str, str]]:
    """The lines of the nested ledger."""
    nested = Repo.__new__(Repo)
    nested.root = repo.root / "services/pay"
    return nested.ledger()


def test_a_move_a_shell_and_a_patch_are_touches_below_it(mono: Repo) -> None:
    moved = turn(mono, bash("git mv services/pay/src/api.py services/pay/src/old.py")).context
    assert "keep the payment api stable" in moved
    mono.git("reset", "--quiet", "--hard")
    assert "keep the payment api stable" in turn(mono, bash("cd services && sed -i s/1/2/ pay/src/api.py")).context
    patch = "--- a/services/pay/src/api.py\n+++ b/services/pay/src/api.py\n@@ -1 +1 @@\n-x = 2\n+x = 3\n"
    mono.write("fix.patch", patch)
    assert "keep the payment api stable" in turn(mono, bash("git apply fix.patch")).context
    assert "payment" not in turn(mono, bash("git mv services/ship/src/api.py services/ship/src/old.py")).context


def test_a_script_that_writes_its_files_is_seen(mono: Repo) -> None:
    mono.write("change.py", "open('services/pay/src/api.py', 'a').write('# more')\n")
    mono.commit()
    said = turn(mono, edit("services/pay/src/api.py", "1", "2"), bash("python3 change.py"), session=Session(mono))
    assert "keep the payment api stable" in said.context
    mono.commit()
    turn(mono, bash("python3 change.py"))
    assert mono.rides("P-1", PAY) == 2


def test_commands_and_prompts_speak_in_a_folder_below(mono: Repo) -> None:
    mono.table(
        row("P-3", r"cmd: ^make deploy", "ask the payment team first", lifecycle="rule"),
        row("P-4", "prompt: refund", "refunds are booked twice", lifecycle="rule"),
        row("P-5", "start", "the payment service is frozen", lifecycle="rule"),
        file=PAY,
    )
    inside = mono.path("services/pay/src")
    for cwd, text in (
        (inside, "make deploy"),
        ("", "cd services/pay && make deploy"),
        ("", "(cd services/pay; make deploy)"),
    ):
        session = Session(mono, cwd=cwd)
        run_hook(session.pre("Bash", command=text))
        said = run_hook(session.post("Bash", command=text)).context
        assert "ask the payment team first" in said, text
    for text in ("make deploy", "cd services/ship && make deploy"):
        assert run_hook(Session(mono).post("Bash", command=text)).context == ""
    below, above = Session(mono, cwd=inside), Session(mono)
    start = run_hook(below.session_start()).context
    assert "the payment service is frozen" in start
    assert "4 rows in force" in start
    assert "refunds are booked twice" in run_hook(below.prompt("do the refund")).context
    start = run_hook(above.session_start()).context
    assert "frozen" not in start
    assert "1 row in force (1 rule). 3 more rows about services/pay/. The hooks run" in start
    mono.git("rm", "-rq", "docs")
    start = run_hook(Session(mono).session_start()).context
    assert start.startswith("Notes kept in docs/gatilhos: no rows in force. 3 more rows about services/pay/. ")
    assert run_hook(above.prompt("do the refund")).context == ""


def test_a_session_that_begins_in_its_folder_hears_of_its_due_debts_first(mono: Repo) -> None:
    rows = [row(f"D-{number}", "path: x", f"the note {number} " + "of the root " * 20, rides=9) for number in range(60)]
    mono.table(*rows)
    mono.table(row("P-9", "glob: src/*.py", "retry the payment", rides=3), file=PAY)
    said = run_hook(Session(mono, cwd=mono.path("services/pay")).session_start())
    assert "retry the payment" in said.context
    assert "P-9" in said.person


def test_a_store_that_appears_in_a_session_is_seen_at_the_next_touch_below_it(repo: Repo) -> None:
    repo.write("services/pay/src/api.py", "x = 1\n")
    session = Session(repo)
    assert turn(repo, edit("services/pay/src/api.py", "1", "2"), session=session).context == ""
    repo.table(RULE, file=PAY, commit=False)
    said = turn(repo, edit("services/pay/src/api.py", "2", "3"), session=session).context
    assert "keep the payment api stable" in said
    assert "not committed yet" in said


def test_it_needs_no_store_at_the_root(repo: Repo) -> None:
    repo.write("services/pay/src/api.py", "x = 1\n")
    repo.table(DEBT, file=PAY)
    assert "retry the card" in turn(repo, edit("services/pay/src/api.py", "1", "2")).context
    assert repo.rides("P-2", PAY) == 1
    assert not (repo.root / "docs").exists()
    assert "1 debt owed" in run_cli(cwd=repo.root).stdout


def test_a_due_debt_of_it_is_asked_about_and_paid(mono: Repo) -> None:
    mono.table(DEBT.replace("| 0 |", "| 3 |"), file=PAY)
    assert "P-2" in turn(mono, edit("services/pay/src/api.py", "1", "2")).reason
    assert turn(mono, edit("services/ship/src/api.py", "1", "2")).reason == ""
    assert turn(mono, edit("services/pay/src/api.py", "1", "retry")).stopped == []
    assert mono.cell("P-2", "state", PAY) == "paid"


def test_what_a_commit_leaves_out_is_named_where_it_is(mono: Repo) -> None:
    session = Session(mono)
    turn(mono, edit("services/pay/src/api.py", "1", "2"), session=session)
    mono.git("commit", "-qm", "the table alone", PAY)
    said = run_hook(Session(mono).session_start()).person
    assert "`git add services/pay/docs/gatilhos/ledger`" in said


def test_the_guard_keeps_its_tables_and_its_ledger(mono: Repo) -> None:
    session = Session(mono)
    turn(mono, edit("services/pay/src/api.py", "1", "2"), session=session)
    struck = edit(PAY, "| P-2 |", "| ~~P-2~~ |")
    assert "strike P-2" in turn(mono, struck, session=session).reason
    (name,) = (mono.root / "services/pay/docs/gatilhos/ledger").iterdir()
    store = "services/pay/docs/gatilhos"
    commands = (f"rm {name}", "rm -rf services/pay", f"sed -i s/owed/paid/ {PAY}", "git restore services")
    shut = (f"chmod 000 {store}", f"chmod 444 {PAY}", "chmod 000 services/pay", f"ln -sfn /tmp {store}")
    for command in (*commands, *shut):
        assert turn(mono, bash(command), session=session).reason, command
    free = edit(PAY, "retry the card", "retry the card twice")
    assert turn(mono, free, session=session).stopped == []


def test_a_call_that_moves_the_folder_around_one_is_stopped_right_after_a_table_changed(mono: Repo) -> None:
    session = Session(mono)
    run_hook(session.session_start())
    mono.table(row("D-1", r"path: src/api\.py$", "every single api", lifecycle="rule"))
    move = session.pre("mcp__fs__move_file", source=mono.path("services/pay"), destination=mono.path("pay"))
    assert run_hook(move).decision


def test_what_is_no_nested_store_does_not_speak_and_costs_no_hang(mono: Repo, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    Repo(outer).table(RULE)
    for name in ("linked", "ignored", "node_modules/x", "pipes", "inner"):
        mono.write(f"{name}/src/api.py", "x = 1\n")
    (mono.root / "linked/docs").mkdir()
    (mono.root / "linked/docs/gatilhos").symlink_to(outer / "docs/gatilhos")
    mono.write(".gitignore", "ignored/\n")
    for name in ("ignored", "node_modules/x"):
        mono.table(RULE, file=f"{name}/docs/gatilhos/rules.md", commit=False)
    (mono.root / "pipes/docs/gatilhos").mkdir(parents=True)
    for number in range(20):
        os.mkfifo(mono.root / f"pipes/docs/gatilhos/{number}.md")
    Repo(mono.root / "inner").table(RULE)
    mono.write("plain/docs/gatilhos", "a file\n")
    assert stores_above(str(mono.root), ["plain/src/"]) == []
    for name in ("linked", "ignored", "node_modules/x", "pipes"):
        assert "payment" not in turn(mono, edit(f"{name}/src/api.py", "1", "2")).context, name
    listed = rows_by_id(mono.root)
    assert {one["store"] for one in listed.values()} == {"", "services/pay"}
    assert "keep the payment api stable" in turn(mono, edit("inner/src/api.py", "1", "2")).context


def test_the_command_line_finds_all_of_them_from_a_subfolder(mono: Repo) -> None:
    mono.table(row("S-1", r"path: ^src/", "ship it"), file="services/ship/docs/gatilhos/new.md", commit=False)
    inside = mono.root / "services/pay/src"
    assert {name: one["store"] for name, one in rows_by_id(inside).items()} == {
        "D-1": "", "P-1": "services/pay", "P-2": "services/pay", "S-1": "services/ship",
    }  # fmt: skip
    assert "services/ship" in run_cli("list", cwd=mono.root).stdout
    assert "ship it" not in run_cli("list", "--scope", "services/pay", cwd=mono.root).stdout
    why = run_cli("why", "api.py", cwd=inside).stdout
    assert why.index("P-2") < why.index("P-1") < why.index("D-1")
    assert "services/pay/src/api.py" in run_cli("show", "P-1", cwd=mono.root).stdout
    assert run_cli("check", cwd=mono.root).status == 0
    assert "P-2" in run_cli("backtest", "P-2", cwd=mono.root).stdout
    assert run_cli("health", cwd=mono.root).status == 0


def test_an_id_of_two_stores_is_a_problem(mono: Repo) -> None:
    mono.table(row("P-1", r"path: ^x$", "another"))
    found = run_cli("check", cwd=mono.root)
    assert found.status == 1
    assert "GT201" in found.stdout
    assert f"{PAY}:3" in found.stdout


def test_its_commands_run_in_its_folder_with_a_permission_of_its_own(mono: Repo) -> None:
    mono.write("services/pay/ready.sh", "exit 1\n")
    mono.table(row("P-6", "path: ^src/", "not ready", paid_when="passes sh ready.sh"), file=PAY)
    turn(mono, edit("services/pay/src/api.py", "1", "2"))
    assert run_cli("allow", "P-6", "--yes", cwd=mono.root).status == 0
    assert "cd services/pay && sh ready.sh" in run_cli("allow", "--list", cwd=mono.root).stdout
    mono.write("services/pay/ready.sh", "test -f src/api.py\n")
    turn(mono, edit("services/pay/src/api.py", "2", "3"))
    assert mono.cell("P-6", "state", PAY) == "paid"


def test_conditions_look_below_it_and_stay_there(mono: Repo) -> None:
    mono.write("services/pay/a.txt", "TODO TODO\n")
    mono.table(
        row("P-7", "glob: *.txt", "leave no todo", paid_when="count TODO in *.txt <= 0"),
        row("P-8", "glob: *.txt", "one file", paid_when="missing a.txt"),
        row("P-9", "glob: *.txt", "out", paid_when="exists ../ship/src/api.py"),
        file=PAY,
    )
    turn(mono, edit("services/pay/a.txt", "TODO TODO", "TODO"))
    assert mono.cell("P-7", "state", PAY) == "owed 1 left"
    assert "GT117" in run_cli("check", cwd=mono.root).stdout
    (mono.root / "services/pay/a.txt").unlink()
    mono.write("services/pay/b.txt", "none\n")
    assert run_cli("settle", cwd=mono.root).status == 0
    assert [mono.cell(name, "state", PAY) for name in ("P-7", "P-8")] == ["paid", "paid"]


def test_review_judges_its_rows(mono: Repo) -> None:
    mono.git("switch", "--quiet", "-c", "work")
    turn(mono, edit("services/pay/src/api.py", "1", "2"))
    mono.commit()
    assert "P-2" in run_cli("diff", "main...HEAD", cwd=mono.root).stdout
    assert run_cli("check", "--since", "main", cwd=mono.root).status == 0
    log = run_cli("log", "P-2", cwd=mono.root / "services").stdout
    assert "src/api.py" in log
    mono.write(PAY, mono.read(PAY).replace("| 1 | owed", "| 0 | owed"))
    mono.write("services/pay/src/api.py", "retry\n")
    mono.commit()
    lowered = run_cli("check", "--since", "HEAD~1", cwd=mono.root)
    assert "this change pays P-2" in run_cli("diff", "main", cwd=mono.root).stdout
    assert lowered.status == 1
    assert "P-2" in lowered.stdout


def test_branches_that_ride_at_once_merge_by_rows(mono: Repo) -> None:
    assert run_cli("init", cwd=mono.root).status == 0
    mono.commit()
    for branch in ("one", "two"):
        mono.git("switch", "--quiet", "-c", branch, "main")
        turn(mono, edit("services/pay/src/api.py", "1", "2"))
        mono.git("checkout", "--quiet", "HEAD", "--", "services/pay/src")
        mono.commit()
    mono.git("merge", "--quiet", "--no-edit", "one")
    assert "<<<<" not in mono.read(PAY)
    rides = {name: one["rides"] for name, one in rows_by_id(mono.root).items() if name != "D-1"}
    assert rides == {"P-1": 1, "P-2": 2}, "of a rule the larger cell"
    assert run_cli("doctor", cwd=mono.root).stdout.count("merging") >= 2
    assert run_cli("fold", cwd=mono.root).status == 0
    assert mono.rides("P-2", PAY) == 2


def test_a_linked_working_tree_has_its_own(mono: Repo, tmp_path: Path) -> None:
    mono.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = Repo.__new__(Repo)
    side.root = tmp_path / "side"
    session = Session(mono)
    run_hook(session.session_start())
    run_hook(session.prompt())
    path = side.path("services/pay/src/api.py")
    side.write("services/pay/src/api.py", "x = 2\n")
    said = run_hook(session.post("Write", file_path=path, content="x = 2\n")).context
    assert "keep the payment api stable" in said
    run_hook(session.stop())
    assert side.rides("P-2", PAY) == 1
    assert mono.rides("P-2", PAY) == 0


def test_a_store_that_git_no_longer_ignores_speaks_from_the_next_session_on(repo: Repo) -> None:
    repo.write(".gitignore", "services/\n")
    repo.write("services/pay/src/api.py", "x = 1\n")
    repo.table(RULE, file=PAY)
    assert turn(repo, edit("services/pay/src/api.py", "1", "2")).context == ""
    repo.write(".gitignore", "")
    assert "keep the payment api stable" in turn(repo, edit("services/pay/src/api.py", "2", "3")).context


def test_a_file_to_add_to_is_named_from_the_folder_of_its_store_or_from_the_root(mono: Repo) -> None:
    inside = mono.root / "services/pay"
    for number, file in enumerate(("docs/gatilhos/backlog.md", PAY, "docs/gatilhos/new.md")):
        rule = ("--note", f"rule {number}", "--trigger", f"cmd: ^make {number}$", "--id", f"R-{number}")
        assert run_cli("add", *rule, "--file", file, cwd=inside).status == 0
    places = {name: one["file"] for name, one in rows_by_id(mono.root).items() if name.startswith("R-")}
    assert places == {"R-0": PAY, "R-1": PAY, "R-2": "services/pay/docs/gatilhos/new.md"}


def test_a_row_that_names_its_files_from_the_root_is_told_how_its_store_sees_them(mono: Repo) -> None:
    pays = "contains services/pay/src/api.py later"
    mono.table(
        row("P-3", r"path: ^services/pay/src/api\.py$", "a", paid_when=pays),
        row("P-4", "glob: services/pay/src/*.py", "b"),
        row("P-5", "glob: services/ship/**", "c"),
        file=PAY,
        commit=False,
    )
    found = json.loads(run_cli("check", "--json", cwd=mono.root).stdout)["problems"]
    seen = "paths in this store are as seen from services/pay"
    assert [(one["row"], one["remedy"]) for one in found] == [
        ("P-3", rf"write `path: ^src/api\.py$`: {seen}"),
        ("P-3", f"write `contains src/api.py later`: {seen}"),
        ("P-4", f"write `glob: src/*.py`: {seen}"),
        ("P-5", f"{seen}; a row about services/ship/src/api.py belongs into docs/gatilhos of the root"),
    ]


def test_a_renamed_folder_changes_no_row_of_its_store_and_ends_no_life(mono: Repo) -> None:
    turn(mono, edit("services/pay/src/api.py", "1", "2"))
    mono.commit()
    mono.git("mv", "services/pay", "services/payments")
    mono.commit()
    assert run_cli("check", "--since", "HEAD~1", cwd=mono.root).status == 0
    changed = run_cli("diff", "HEAD~1", cwd=mono.root).stdout.splitlines()[1:]
    assert [one for one in changed if one] == [
        "2 rows moved.", f"2 rows moved from {PAY} to services/payments/docs/gatilhos/backlog.md",
    ]  # fmt: skip
    told = [line[18:].partition(":")[0] for line in run_cli("log", "P-2", cwd=mono.root).stdout.splitlines()]
    assert [one for one in told if one.startswith(("written", "ride", "moved"))] == [
        "written", f"moved from {PAY}, in {mono.git('rev-parse', 'HEAD')[:10]} by A Person", "ride 1",
    ]  # fmt: skip


def test_the_log_knows_the_rows_of_the_last_nested_store_when_it_is_gone(mono: Repo) -> None:
    mono.git("rm", "--quiet", PAY)
    mono.commit()
    told = [line[18:].partition(",")[0] for line in run_cli("log", "P-2", cwd=mono.root).stdout.splitlines()]
    assert [one for one in told if one.startswith(("written", "removed"))] == ["written: retry the card", "removed"]
