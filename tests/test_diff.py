"""`gatilho diff` in real repositories of every shape, and what it prints."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import cmarkgfm
import pytest
from builders import BACKLOG, CHECKOUT, Output, Repo, row, run_cli
from cmarkgfm.cmark import Options

from gatilho.compare.markdown import markdown
from gatilho.compare.output import annotations, sarif
from gatilho.compare.revisions import Revisions
from gatilho.explanations import link
from gatilho.git.root import find_repository
from gatilho.ledger.lines import Entry, ledger_bytes
from gatilho.model import Place, Problem
from gatilho.note_html import escape_markdown

Run = Callable[..., Output]


def cloned(repo: Repo, name: str, *options: str) -> Repo:
    clone = Repo.__new__(Repo)
    clone.root = repo.root.parent / name
    repo.git("clone", "--quiet", *options, f"file://{repo.root}", str(clone.root))
    return clone


def told(output: Output) -> list[str]:
    """The facts of the rows, without their titles."""
    assert output.status == 0, output.stderr
    return [line.strip() for line in output.stdout.splitlines() if line.startswith("  ")]


def test_text_is_as_it_is(repo: Repo, run_cli: Run) -> None:
    repo.write("src/a.py", "x\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", "first", rides=2), row("D-2", "path: b", "second"))
    short = repo.git("rev-parse", "HEAD").strip()[:10]
    charged = Entry(
        "2026-11-29 10:00:00", "D-1", "charged", 3, 2, "8f3a21c0", "abcdef0123456", "agent claude", "src/a.py"
    )
    repo.write("docs/gatilhos/ledger/2026-11-29-0badcafe.md", ledger_bytes([charged]))
    repo.table(row("D-1", r"path: ^lib/", "first", rides=3), row("D-3", "path: src", "third"), commit=False)
    output = run_cli("diff")
    assert (output.status, output.stderr) == (0, "")
    assert (
        output.stdout
        == f"""\
HEAD ({short}) .. working tree
1 row changed, 1 added, 1 removed. 2 changes need a reason.

D-1  docs/gatilhos/backlog.md:3
  error: the trigger of D-1 no longer matches src/a.py, which it was charged for
    put the old trigger back, or give the reason: `gatilho set D-1 3 --why TEXT`
  rides 2 -> 3: session 8f3a21c0 wrote src/a.py
  warning: due now: 3 rides, and a write is asked about from 3 on
  warning: trigger: path: ^src/a\\.py$ (1 tracked file) -> path: ^lib/ (0 tracked files)

D-2  was in docs/gatilhos/backlog.md
  error: removed while still owed (0 rides): "second"
    put it back, and end it by `gatilho pay D-2 --why TEXT` or `gatilho revoke D-2 --why TEXT`

D-3  docs/gatilhos/backlog.md:4
  new debt: third
  trigger: path: src (1 tracked file)
  paid when: a person strikes its id
"""
    )


def test_index_and_working_tree_are_sides_of_their_own(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", "one"))
    repo.table(row("D-1", "path: a", "two"), commit=False)
    repo.git("add", "--all")
    repo.table(row("D-1", "path: a", "three"), commit=False)
    assert told(run_cli("diff")) == ["note reworded: one -> three"]
    assert told(run_cli("diff", "--staged")) == ["note reworded: one -> two"]
    assert told(run_cli("diff", "--cached", "HEAD")) == ["note reworded: one -> two"]
    assert told(run_cli("diff", "--unstaged")) == ["note reworded: two -> three"]


def test_ranges(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a"))
    repo.git("switch", "--quiet", "--create", "side")
    repo.table(row("D-1", "path: a", "side"))
    repo.git("switch", "--quiet", "main")
    repo.table(row("D-1", "path: a"), row("D-2", "path: b"))
    assert told(run_cli("diff", "main...side")) == ["note reworded: a note -> side"]
    assert len(told(run_cli("diff", "main..side"))) == 3
    backwards = run_cli("diff", "main..side").stdout
    assert "main has 1 commit that the other side lacks, so its changes are shown backwards: `main...`" in backwards
    assert told(run_cli("diff", "..side")) == told(run_cli("diff", "main..side"))
    assert told(run_cli("diff", "side...")) != []
    assert "No row changed." in run_cli("diff", "main..main").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no-such",), "there is no revision 'no-such' here"),
        (("main..no-such",), "there is no revision 'no-such' here"),
        (("--staged", "main..main"), "names both sides already"),
        (("--unstaged", "main"), "leave out the revision"),
        (("HEAD:README.md",), "there is no revision 'HEAD:README.md' here"),
        (("^HEAD",), "there is no revision '^HEAD' here"),
        (("main...other",), "have no common commit here; compare them with two dots"),
    ],
    ids=[
        "no revision",
        "no second revision",
        "index and range",
        "index and revision",
        "a file",
        "a revision to leave out",
        "unrelated histories",
    ],
)
def test_usage(repo: Repo, run_cli: Run, arguments: tuple[str, ...], said: str) -> None:
    repo.git("checkout", "--quiet", "--orphan", "other")
    repo.commit("Another root")
    repo.git("switch", "--quiet", "main")
    output = run_cli("diff", *arguments)
    assert output.status == 2
    assert said in output.stderr


def test_branch_that_only_the_remote_has(repo: Repo) -> None:
    repo.git("branch", "topic")
    clone = cloned(repo, "clone")
    assert "Did you mean origin/topic?" in run_cli("diff", "topic", cwd=clone.root).stderr


def test_unborn_head(repo: Repo, tmp_path: Path) -> None:
    fresh = Repo.__new__(Repo)
    fresh.root = tmp_path / "fresh"
    fresh.root.mkdir()
    fresh.git("init", "--quiet")
    fresh.table(row("D-1", "path: a", "first"), commit=False)
    output = run_cli("diff", cwd=fresh.root)
    assert output.stdout.startswith("HEAD (no commit yet) .. working tree\n1 row added.\n")
    fresh.git("add", "--all")
    assert "1 row added." in run_cli("diff", "--staged", cwd=fresh.root).stdout


def test_detached_head_and_bare_numbers(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", "one"))
    first = repo.git("rev-parse", "HEAD").strip()
    repo.table(row("D-1", "path: a", "two"))
    repo.git("checkout", "--quiet", "--detach")
    assert told(run_cli("diff", f"{first[:8]}..")) == ["note reworded: one -> two"]
    assert told(run_cli("diff", "HEAD~1")) == ["note reworded: one -> two"]


def test_shallow_clone(repo: Repo) -> None:
    repo.table(row("D-1", "path: a", "one"))
    repo.table(row("D-1", "path: a", "two"))
    clone = cloned(repo, "clone", "--depth", "1")
    clone.table(row("D-1", "path: a", "three"), commit=False)
    assert told(run_cli("diff", cwd=clone.root)) == ["note reworded: two -> three"]
    missing = run_cli("diff", "HEAD~1", cwd=clone.root)
    assert missing.status == 2
    assert "This clone is shallow: `git fetch --unshallow` may bring it." in missing.stderr
    repo.git("branch", "other", "HEAD~1")
    (remedy,) = re.findall(r"or `git (fetch origin .*?)`", run_cli("diff", "other", cwd=clone.root).stderr)
    clone.git(*remedy.split())
    assert told(run_cli("diff", "other", cwd=clone.root)) == ["note reworded: one -> three"]


def test_sparse_checkout_leaves_nothing_out(repo: Repo) -> None:
    repo.write("src/a.py", "x")
    repo.table(row("D-1", "path: a"))
    clone = cloned(repo, "clone")
    clone.git("sparse-checkout", "set", "src")
    assert not (clone.root / "docs").exists()
    assert "No row changed." in run_cli("diff", cwd=clone.root).stdout
    assert not (clone.root / "docs").exists()
    assert clone.git("status", "--porcelain") == ""


def test_submodule_and_its_parent(repo: Repo, tmp_path: Path) -> None:
    repo.table(row("D-1", "path: a", "one"))
    parent = Repo(tmp_path / "parent")
    parent.git("submodule", "--quiet", "add", f"file://{repo.root}", "sub")
    parent.commit()
    inner = Repo.__new__(Repo)
    inner.root = parent.root / "sub"
    inner.table(row("D-1", "path: a", "two"), commit=False)
    assert told(run_cli("diff", cwd=inner.root)) == ["note reworded: one -> two"]
    assert "No row changed." in run_cli("diff", cwd=parent.root).stdout


def test_store_that_is_a_submodule_is_named(repo: Repo, tmp_path: Path) -> None:
    parent = Repo(tmp_path / "parent")
    parent.git("submodule", "--quiet", "add", f"file://{repo.root}", "docs/gatilhos")
    parent.commit()
    assert "docs/gatilhos is a submodule" in run_cli("diff", "HEAD..HEAD", cwd=parent.root).stdout


def test_linked_worktrees_are_apart(repo: Repo, run_cli: Run, tmp_path: Path) -> None:
    repo.table(row("D-1", "path: a", "one"))
    other = Repo.__new__(Repo)
    other.root = tmp_path / "other"
    repo.git("worktree", "add", "--quiet", str(other.root), "-b", "side")
    other.table(row("D-1", "path: a", "two"), commit=False)
    assert told(run_cli("diff", cwd=other.root)) == ["note reworded: one -> two"]
    assert "No row changed." in run_cli("diff").stdout


def test_during_a_rebase_that_stopped(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", "base"))
    repo.git("switch", "--quiet", "--create", "side")
    repo.table(row("D-1", "path: a", "side"))
    repo.git("switch", "--quiet", "main")
    repo.table(row("D-1", "path: a", "main"))
    repo.git("rebase", "main", "side", check=False)
    assert "<<<<<<<" in repo.read(BACKLOG)
    assert run_cli("diff").status == 0
    assert "No row changed." in run_cli("diff", "--staged").stdout
    assert repo.git("status", "--porcelain").startswith("UU")


def test_line_endings_of_a_checkout_are_no_change(repo: Repo) -> None:
    repo.table(row("D-1", "path: a", rides=1))
    clone = cloned(repo, "clone", "--config", "core.autocrlf=true")
    assert b"\r\n" in clone.read_bytes(BACKLOG)
    assert "No row changed." in run_cli("diff", cwd=clone.root).stdout
    clone.write(BACKLOG, clone.read_bytes(BACKLOG).replace(b"| 1 |", b"| 2 |"))
    assert told(run_cli("diff", cwd=clone.root)) == ["rides 1 -> 2, by hand, with no entry in the ledger"]


def test_lock_of_somebody_else_is_left_alone(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a"))
    os.utime(repo.root / BACKLOG, (1, 1))
    index = repo.root / ".git" / "index"
    lock = repo.root / ".git" / "index.lock"
    lock.touch()
    before = index.read_bytes(), index.stat().st_mtime_ns
    for arguments in (("diff",), ("diff", "--staged"), ("diff", "HEAD~1"), ("log", "D-1")):
        assert run_cli(*arguments).status == 0
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
    assert lock.exists()


def test_inside_a_git_hook_of_another_repository(repo: Repo, run_cli: Run, tmp_path: Path) -> None:
    repo.table(row("D-1", "path: a", "one"))
    repo.table(row("D-1", "path: a", "two"), commit=False)
    other = Repo(tmp_path / "other")
    env = {"GIT_DIR": str(other.root / ".git"), "GIT_WORK_TREE": str(other.root), "GIT_INDEX_FILE": ".git/index"}
    assert told(run_cli("diff", env=env)) == ["note reworded: one -> two"]


def test_index_of_a_commit_in_the_making(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", "one"))
    repo.table(row("D-1", "path: a", "two"), commit=False)
    command = f"PYTHONPATH='{CHECKOUT}' exec '{sys.executable}' -m gatilho diff --staged > said"
    repo.write(".git/hooks/pre-commit", f"#!/bin/sh\n{command}\n").chmod(0o755)
    repo.git("commit", "--quiet", "--message", "Go on", "--", BACKLOG)
    assert "note reworded: one -> two" in repo.read("said")


NAMES = (
    "docs/gatilhos/dívidas — 債務.md",
    "docs/gatilhos/with space/x.md",
    'docs/gatilhos/quote"d\\.md',
    "docs/gatilhos/-x.md",
    "docs/gatilhos/[a]*.md",
)


@pytest.mark.parametrize("name", NAMES)
def test_file_names_of_every_kind(repo: Repo, run_cli: Run, name: str) -> None:
    repo.table(row("D-1", "path: a", "one"), file=name)
    repo.table(row("D-1", "path: a", "two"), file=name)
    assert told(run_cli("diff", "HEAD~1..HEAD")) == ["note reworded: one -> two"]
    assert told(run_cli("diff", "HEAD~1", "--staged")) == ["note reworded: one -> two"]
    found = json.loads(run_cli("diff", "HEAD~1", "--json").stdout)
    assert [one["file"] for one in found["rows"]] == [name]
    uri = json.loads(run_cli("diff", "HEAD~1", "--format", "sarif").stdout)["runs"][0]["results"][0]["locations"][0]
    assert " " not in uri["physicalLocation"]["artifactLocation"]["uri"]


def test_linked_table_is_followed(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", "one"), file="shared/rules.md")
    (repo.root / "docs/gatilhos").mkdir(parents=True)
    (repo.root / "docs/gatilhos/x.md").symlink_to("../../shared/rules.md")
    repo.commit()
    assert "No row changed." in run_cli("diff").stdout
    repo.table(row("D-1", "path: a", "two"), file="shared/rules.md")
    assert told(run_cli("diff", "HEAD~1..HEAD")) == ["note reworded: one -> two"]


def test_row_that_comes_back_after_a_rebase(repo: Repo, run_cli: Run) -> None:
    charged = Entry("2026-11-29 10:00:00", "D-2", "charged", 1, 0, "aa", "c", "agent", "lib/q.py")
    repo.write("docs/gatilhos/ledger/2026-11-29-0badcafe.md", ledger_bytes([charged]))
    repo.table(row("D-1", "path: a"), row("D-3", "path: d", rides=3))
    repo.table(
        row("D-1", "path: a"),
        row("D-3", "path: d", rides=3),
        row("D-2", "path: l"),
        row("D-3", "path: d", rides=4),
        commit=False,
    )
    found = {
        one["id"]: [fact["code"] for fact in one["facts"]]
        for one in json.loads(run_cli("diff", "--json").stdout)["rows"]
    }
    assert found["D-2"][0] == "GT703"
    assert found["D-3"][0] in ("GT703", "GT720")


def test_bytes_of_another_object_format(tmp_path: Path) -> None:
    repo = Repo.__new__(Repo)
    repo.root = tmp_path / "sha256"
    repo.root.mkdir()
    repo.git("init", "--quiet", "--object-format=sha256")
    repo.table(row("D-1", "path: a", "one"))
    repo.table(row("D-1", "path: a", "two"), commit=False)
    assert told(run_cli("diff", cwd=repo.root)) == ["note reworded: one -> two"]


def test_exact_bytes_of_blobs(repo: Repo) -> None:
    data = b"| id | trigger | note |\r\n|-|-|-|\r\n\n\n"
    repo.write(BACKLOG, data)
    repo.commit()
    found = find_repository(str(repo.root))
    assert found is not None
    with Revisions(found) as opened:
        assert opened.store_files(opened.side("HEAD"))[BACKLOG] == data


HOSTILE = "@team fixes #12, see https://evil.example/x www.evil.example a@b.example GH-7 <img src=x> [x](y) `c` $m$ **b** :tada: | a\\b"


def rendered(text: str) -> str:
    return cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE)


def test_markdown_shows_other_peoples_text_as_it_is() -> None:
    html = rendered(f"- x: {escape_markdown(HOSTILE)}")
    assert "<a" not in html
    assert "<img" not in html
    assert "<strong>" not in html
    assert "<code>" not in html
    plain = html.replace("\u200b", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert HOSTILE in plain
    assert "@team" not in html
    assert "#12" not in html


def test_markdown_of_a_pull_request(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", "one"), row("D-2", "path: b", rides=4))
    repo.table(row("D-1", r"path: ^(a|`b)$", HOSTILE.replace("|", "\\|")), row("D-2", "path: b", rides=1), commit=False)
    text = run_cli("diff", "--format", "markdown").stdout
    html = rendered(text)
    assert text.startswith("<!-- gatilho diff -->\n")
    assert "<strong>Needs a reason</strong>" in html
    assert "<strong><code>D-2</code></strong> in <code>docs/gatilhos/backlog.md:4</code>" in html
    assert "<code>gatilho set D-2 1 --why TEXT</code>" in html
    assert "<a" not in html
    assert html.count("<ul>") == 4  # a list of rows in each of two groups, and in each row a list of facts


def test_markdown_is_cut_between_rows(repo: Repo, run_cli: Run) -> None:
    repo.table(*(row(f"D-{number}", "path: a", "x" * 300) for number in range(400)), commit=False)
    text = run_cli("diff", "--format", "markdown").stdout
    assert len(text) < 65_000
    assert "more did not fit here" in text
    assert rendered(text).count("<details>") == rendered(text).count("</details>") == 1


@pytest.mark.parametrize("form", ["text", "markdown", "github"])
def test_a_huge_row_hides_no_other(repo: Repo, run_cli: Run, form: str) -> None:
    many = [f"path: ^{number}{'x' * 60}$" for number in range(1500)]
    repo.table(row("D-1", "path: a", "x" * 200_000), row("D-2", many), row("D-3", "path: c"), commit=False)
    text = run_cli("diff", "--format", form).stdout
    assert "D-3" in text
    assert "x" * 600 not in text
    assert f"... ({200_000 - 500} more characters)" in text.replace("\\", "")


def problem(message: str, **fields: object) -> Problem:
    place = Place(str(fields.pop("file", "docs/gatilhos/a.md")), 3, 5)
    return Problem("GT701", str(fields.pop("severity", "error")), place, message, **fields)  # type: ignore[arg-type]


ANNOTATIONS = {
    "a plain one": (problem("x"), "::error file=docs/gatilhos/a.md,line=3,title=gatilho GT701::x"),
    "a note": (problem("x", severity="note"), "::notice file=docs/gatilhos/a.md,line=3,title=gatilho GT701::x"),
    "a line of text": (
        problem("x", text="| ab |", width=2),
        "::error file=docs/gatilhos/a.md,line=3,col=5,endColumn=7,title=gatilho GT701::x",
    ),
    "a remedy": (problem("x.", remedy="y"), "::error file=docs/gatilhos/a.md,line=3,title=gatilho GT701::x. To do: y"),
    "signs that mean something": (
        problem("50% a:b, c", file="a,b:c%d.md"),
        "::error file=a%2Cb%3Ac%25d.md,line=3,title=gatilho GT701::50%25 a:b, c",
    ),
    "a second command": (
        problem("x\n::set-output name=a::b\r\x1b[31m"),
        "::error file=docs/gatilhos/a.md,line=3,title=gatilho GT701::x ::set-output name=a::b",
    ),
}


@pytest.mark.parametrize("case", ANNOTATIONS, ids=list(ANNOTATIONS))
def test_annotation(case: str) -> None:
    given, expected = ANNOTATIONS[case]
    assert annotations([given]) == [f"{expected}%0A{link('GT701')}"]


def test_worst_annotations_come_first() -> None:
    given = [problem("n", severity="note"), problem("w", severity="warning"), problem("e")]
    assert [line.rpartition("::")[2].partition("%0A")[0] for line in annotations(given)] == ["e", "w", "n"]


def test_sarif_points_to_its_rules_and_places() -> None:
    given = [
        problem("see [x](http://evil.example)", file="docs/gatilhos/dívida 1.md", text="a\tb", width=2, remedy="do"),
        problem("y", file="/home/ana/x.md", severity="note"),
    ]
    log = sarif(given, {"GT701": "a title"})
    run = log["runs"][0]
    first, second = run["results"]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["GT701"]
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["shortDescription"] == {"text": "a title"}
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "docs/gatilhos/d%C3%ADvida%201.md", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "startColumn": 5, "endColumn": 7, "snippet": {"text": "a b"}}
    assert "](" not in first["message"]["text"]
    assert second["level"] == "note"
    assert second["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///home/ana/x.md"}
    assert second["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}


def test_sarif_of_a_change_has_levels_and_fingerprints(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", rides=2))
    repo.table(row("D-1", "path: a", rides=1), commit=False)
    first = json.loads(run_cli("diff", "--format", "sarif").stdout)
    repo.write(BACKLOG, "Moved down\n\n" + repo.read(BACKLOG))
    second = json.loads(run_cli("diff", "--format", "sarif").stdout)
    results = [log["runs"][0]["results"][0] for log in (first, second)]
    assert [one["level"] for one in results] == ["error", "error"]
    assert results[0]["partialFingerprints"] == results[1]["partialFingerprints"]
    assert results[0]["locations"] != results[1]["locations"]


def test_empty_comparison_in_every_format(repo: Repo, run_cli: Run) -> None:
    assert run_cli("diff", "--format", "github").stdout == ""
    assert json.loads(run_cli("diff", "--format", "sarif").stdout)["runs"][0]["results"] == []
    assert "No row changed." in run_cli("diff", "--format", "markdown").stdout
    assert json.loads(run_cli("diff", "--json").stdout)["rows"] == []


def test_nothing_hostile_reaches_a_terminal(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", "one"))
    repo.table(row("D-1", "path: a", "x\x1b[31my\u202ez\x07"), commit=False)
    for form in ("text", "markdown", "github"):
        output = run_cli("diff", "--format", form).stdout
        assert not set(output) & {"\x1b", "\u202e", "\x07"}, form


def test_markdown_of_nothing_names_both_sides() -> None:
    from gatilho.compare.row_changes import Comparison

    assert "`main` .. `side`. No row changed." in markdown(Comparison((), ()), "main", "side")
