"""What a review says of debts whose rows it does not edit: file conditions and triggers on both sides of a change."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import BACKLOG, Output, Repo, row, run_cli

from gatilho.compare.cell_facts import uncounted
from gatilho.compare.judge import Judge
from gatilho.compare.revisions import TREE, Revisions, Side
from gatilho.compare.row_changes import compare
from gatilho.compare.snapshot import Snapshot
from gatilho.git.root import find_repository
from gatilho.ledger.lines import Entry, ledger_bytes

A = r"path: ^src/a\.py$"
LEDGER = "docs/gatilhos/ledger/2026-11-29-0000000a.md"
PAID_WHEN = r"contains src/a.py \bdone\b"


def charges(*ids: str, path: str = "src/a.py") -> bytes:
    """A ledger file with one ride of each row, for that path."""
    entries = [Entry("2026-11-20 10:00:00", one, "charged", 1, 0, "8f3a21c0", "c", "agent", path) for one in ids]
    return ledger_bytes(entries)


@pytest.fixture
def branch(repo: Repo) -> Repo:
    """A branch `side` that has just left main, with debts whose condition fails, holds and is a command."""
    repo.write("src/a.py", "x = 1\n")
    repo.write("src/b.py", "frozen\n")
    repo.write("src/c.py", "y = 1\n")
    repo.write(LEDGER, charges("D-2x", "D-9"))
    repo.table(*rows())
    repo.git("switch", "--quiet", "--create", "side")
    return repo


def rows(**changes: str) -> list[str]:
    """The rows of main, some of them replaced; an underscore stands for the hyphen."""
    made = {
        "D_2x": row("D-2x", A, "first", rides=1, paid_when=PAID_WHEN),
        "D_7f3k": row("~~D-7f3k~~", r"path: ^src/b\.py$", "second", rides=1, paid_when="contains src/b.py frozen",
                      state="paid"),
        "D_9": row("D-9", A, "third", rides=1, paid_when="exists src/new.py"),
        "D_p": row("D-p", r"path: ^src/c\.py$", "fourth", paid_when="passes pytest tests"),
    }  # fmt: skip
    return list({**made, **changes}.values())


def judged(output: Output) -> list[tuple[str, str, str]]:
    """The severities, codes and rows of what `check --since` names of conditions and triggers."""
    problems = json.loads(output.stdout)["problems"]
    return [(one["severity"], one["code"], one["row"]) for one in problems if "GT731" <= one["code"] <= "GT739"]


def since(repo: Repo, *arguments: str) -> Output:
    return run_cli("check", "--since", "main", "--format", "json", *arguments, cwd=repo.root)


def _pays(repo: Repo) -> None:
    repo.write("src/a.py", "x = 1\ndone\n")


def _pays_and_strikes(repo: Repo) -> None:
    _pays(repo)
    struck = row("~~D-2x~~", A, "first", rides=1, paid_when=PAID_WHEN, state="paid")
    repo.table(*rows(D_2x=struck), commit=False)


def _undoes(repo: Repo) -> None:
    repo.write("src/b.py", "thawed\n")


def _removes(repo: Repo) -> None:
    (repo.root / "src/b.py").unlink()


def _bends(repo: Repo) -> None:
    repo.table(*rows(D_9=row("D-9", A, "third", rides=1, paid_when="exists src/a.py")), commit=False)


def _rewords(repo: Repo) -> None:
    repo.table(*rows(D_9=row("D-9", A, "third", rides=1, paid_when="exists src/other.py")), commit=False)


def _turns_away(repo: Repo) -> None:
    changed = row("D-9", r"path: ^src/zzz\.py$", "third", rides=1, paid_when="exists src/new.py")
    repo.table(*rows(D_9=changed), commit=False)


def _breaks_the_trigger(repo: Repo) -> None:
    repo.table(*rows(D_9=row("D-9", "path: (", "third", rides=1, paid_when="exists src/new.py")), commit=False)


def _widens(repo: Repo) -> None:
    repo.table(*rows(D_9=row("D-9", "path: ^src/", "third", rides=1, paid_when="exists src/new.py")), commit=False)


def _moves(repo: Repo) -> None:
    repo.git("mv", "src/c.py", "src/d.py")


def _moves_with_the_trigger(repo: Repo) -> None:
    repo.git("mv", "src/a.py", "src/e.py")
    new = r"path: ^src/e\.py$"
    changed = {
        "D_2x": row("D-2x", new, "first", rides=1, paid_when=r"contains src/e.py \bdone\b"),
        "D_9": row("D-9", new, "third", rides=1, paid_when="exists src/new.py"),
    }
    repo.table(*rows(**changed), commit=False)


def _touches_a_command(repo: Repo) -> None:
    repo.write("src/c.py", "y = 2\n")


def _writes_ignored(repo: Repo) -> None:
    repo.write(".git/info/exclude", "src/new.py\n")
    repo.write("src/new.py", "built\n")


CASES: dict[str, tuple[Callable[[Repo], None], list[tuple[str, str, str]]]] = {
    "pays": (_pays, [("note", "GT731", "D-2x")]),
    "pays, and strikes the id": (_pays_and_strikes, [("note", "GT731", "D-2x")]),
    "undoes a payment": (_undoes, [("note", "GT732", "D-7f3k")]),
    "a vanished file is no regression": (_removes, []),
    "changes a condition so that it holds": (_bends, [("error", "GT733", "D-9")]),
    "changes a condition that still fails": (_rewords, []),
    "turns a trigger away": (_turns_away, [("error", "GT734", "D-9")]),
    "makes a trigger invalid": (_breaks_the_trigger, [("error", "GT734", "D-9")]),
    "widens a trigger": (_widens, []),
    "moves a file": (_moves, [("note", "GT735", "D-p"), ("note", "GT736", "D-p")]),
    "moves a file, and the triggers": (_moves_with_the_trigger, []),
    "touches what a command is about": (_touches_a_command, [("note", "GT736", "D-p")]),
    "writes what git ignores": (_writes_ignored, []),
}


@pytest.mark.parametrize("case", CASES, ids=list(CASES))
@pytest.mark.parametrize("committed", [True, False], ids=["committed", "in the working tree"])
def test_what_a_change_does_to_debts(branch: Repo, case: str, committed: bool) -> None:
    change, expected = CASES[case]
    change(branch)
    if committed:
        branch.commit()
    elif ("note", "GT736", "D-p") in expected:
        branch.git("add", "--all")
    output = since(branch)
    assert sorted(judged(output)) == sorted(expected)
    if any(severity == "error" for severity, _, _ in expected):
        assert output.status == 1
    shown = json.loads(run_cli("diff", "main", "--json", cwd=branch.root).stdout)
    facts = [(fact["severity"], fact["code"], one["id"]) for one in shown["rows"] for fact in one["facts"]]
    assert sorted(fact for fact in facts if "GT731" <= fact[1] <= "GT739") == sorted(expected)


def test_reason_settles_a_bent_condition_and_a_trigger(branch: Repo) -> None:
    branch.git("switch", "--quiet", "main")
    assert run_cli("set", "D-9", "1", "--why", "as it was", cwd=branch.root).status == 0
    branch.commit()
    branch.git("switch", "--quiet", "--create", "later")
    changed = row("D-9", r"path: ^src/zzz\.py$", "third", rides=1, paid_when="exists src/a.py")
    branch.table(*rows(D_9=changed))
    problems = json.loads(since(branch).stdout)["problems"]
    remedies = {one["remedy"].partition("reason: ")[2] for one in problems if one["code"] in ("GT733", "GT734")}
    assert remedies == {"`gatilho set D-9 1 --why TEXT`"}
    done = run_cli("set", "D-9", "1", "--why", "the file was split", cwd=branch.root)
    assert done.status == 0, done.stderr
    branch.commit()
    output = since(branch)
    assert sorted(judged(output)) == [("note", "GT733", "D-9"), ("note", "GT734", "D-9")]
    assert output.status == 0, output.stdout
    assert "the reason given: the file was split" in output.stdout


def test_texts_name_the_row_and_what_happened(branch: Repo) -> None:
    _pays(branch)
    _undoes(branch)
    branch.git("mv", "src/c.py", "src/d.py")
    branch.commit()
    said = run_cli("diff", "main...", cwd=branch.root).stdout
    assert "No row changed. It pays 1 debt. It undoes 1 payment." in said
    assert r"this change pays D-2x: contains src/a.py \bdone\b holds (src/a.py:2)" in said
    assert "this change undoes the payment of D-7f3k: the pattern is not in src/b.py" in said
    assert "this change moves src/c.py away from the trigger of D-p: it is src/d.py now" in said
    assert "not looked at, because no command is run here: pytest tests" in said
    annotated = run_cli("check", "--since", "main", "--format", "github", cwd=branch.root).stdout
    assert "title=gatilho GT731::this change pays D-2x" in annotated
    codes = json.loads(run_cli("diff", "main...", "--format", "sarif", cwd=branch.root).stdout)["runs"][0]["results"]
    assert {"GT731", "GT732", "GT735", "GT736"} == {one["ruleId"] for one in codes}


def test_code_quality_report_has_the_shape_that_gitlab_documents(branch: Repo) -> None:
    _bends(branch)
    branch.write("src/a.py", "done\n")
    branch.commit()
    for command in (("check", "--since", "main"), ("diff", "main...")):
        output = run_cli(*command, "--format", "codeclimate", cwd=branch.root)
        report = json.loads(output.stdout)
        assert {"GT731", "GT733"} <= {one["check_name"] for one in report}
        assert len({one["fingerprint"] for one in report}) == len(report)
        for one in report:
            assert set(one) == {"description", "check_name", "fingerprint", "severity", "location"}
            assert one["severity"] in ("info", "minor", "major", "critical", "blocker")
            assert one["location"]["lines"]["begin"] >= 1
            assert not one["location"]["path"].startswith(("/", "./"))
        bent = next(one for one in report if one["check_name"] == "GT733")
        assert (bent["severity"], bent["location"]["path"]) == ("major", BACKLOG)


def test_revert_of_a_payment_is_no_error(branch: Repo) -> None:
    _pays_and_strikes(branch)
    branch.commit()
    branch.git("switch", "--quiet", "--create", "back")
    branch.git("revert", "--no-edit", "HEAD")
    output = run_cli("check", "--since", "side", "--format", "json", cwd=branch.root)
    assert judged(output) == [("note", "GT732", "D-2x")]
    assert output.status == 0, output.stdout


def test_nothing_of_the_repository_is_run(branch: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {ran}\ncat\n")
    program.chmod(0o755)
    branch.write(".gitattributes", "*.py filter=x diff=x\n")
    _pays(branch)
    branch.commit()
    for name in ("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv"):
        branch.git("config", name, str(program))
    repository = find_repository(branch.path("src"))
    assert repository is not None
    with Revisions(repository) as opened:
        for after in (opened.side("side"), Side(TREE)):
            before = opened.side("main")
            old, new = (Snapshot(opened.store_files(side)) for side in (before, after))
            compared = compare(old, new, uncounted, uncounted, "2026-11-30", Judge(opened, before, after))
            assert [fact.kind for fact in compared.facts] == ["pays"]
    assert not ran.exists()


def test_links_submodules_and_folders_are_followed_in_git_s_trees(branch: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.write("inner.py", "done\n")
    other.commit()
    branch.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "sub")
    (branch.root / "link").symlink_to("src")
    conditions = {"D-l": "contains link/a.py done", "D-s": "exists sub/inner.py", "D-g": "contains src/*.py done"}
    branch.table(*rows(), *(row(one, A, one, paid_when=text) for one, text in conditions.items()))
    branch.git("branch", "--force", "main")
    _pays(branch)
    branch.commit()
    for output in (since(branch), run_cli("diff", "main..side", "--json", cwd=branch.root)):
        assert {one for one in ("D-l", "D-s", "D-g", "D-2x") if f"this change pays {one}" in output.stdout} == {
            "D-l", "D-g", "D-2x",
        }  # fmt: skip


def test_a_table_without_debts_needs_no_tree(repo: Repo) -> None:
    repo.table(row("R-1", "path: ^src/", "a rule"))
    assert run_cli("diff", "--json", cwd=repo.root).status == 0
    assert BACKLOG in repo.git("ls-files")
