"""`gatilho import`: what comments, instructions, rules files and other tables become, and that nothing comes twice."""

import json
from typing import Any

import pytest
from builders import BACKLOG, Repo, row, run_cli
from hypothesis import given
from hypothesis import strategies as st

from gatilho.document.rows import read_rows
from gatilho.model import Row
from gatilho.triggers.patterns import Budget, search
from gatilho.writing.comments import find_comments
from gatilho.writing.found import glob_triggers, items_of, literal
from gatilho.writing.front_matter import read_rules

SOURCE = """\
import os

# TODO(ana): handle | timeouts (see `retry`),
# and say so in the log.
def get():
    return 1  # FIXME: one is wrong

# TODO
TODO = 1  # not a comment about it
# TODO-list of names
# FIXME: two
# noqa: ERA001
"""


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.table(row("D-1", r"path: ^README\.md$", "a first debt", paid_when="exists CHANGES.md"))
    repo.write("src/a b.py", SOURCE)
    repo.write("src/b.js", "/* TODO: close the file */\n<!-- -->\n")
    repo.write("notes.md", "# TODO: buy milk\n<!-- TODO: write this -->\n")
    repo.commit()
    return repo


def proposals(repo: Repo, *words: str) -> list[dict[str, Any]]:
    done = run_cli("import", *words, "--json", cwd=repo.root)
    assert done.status == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["proposals"]
    return found


def rows_of(text: str) -> list[Row]:
    return read_rows(text.encode(), "proposed.md")[0]


def test_a_comment_becomes_a_debt_that_its_removal_pays(shop: Repo) -> None:
    found = {one["source"]: one for one in proposals(shop, "todo")}
    assert set(found) == {"src/a b.py:3", "src/a b.py:6", "src/a b.py:11", "src/b.js:1", "notes.md:2"}
    first = found["src/a b.py:3"]
    assert first["note"] == "src/a b.py has a TODO: handle | timeouts (see `retry`), and say so in the log."
    assert first["triggers"] == [r"path: ^src/a b\.py$"]
    assert first["paid_when"] == [r"lacks 'src/a b.py' TODO\(ana\): handle [|] timeouts \(see `retry`\),"]
    assert (first["owner"], first["added"]) == ("ana", "2026-01-05")
    assert found["src/a b.py:11"]["note"] == "src/a b.py has a FIXME: two"
    assert found["src/a b.py:6"]["owner"] == "A Person"


def test_what_is_proposed_passes_check_and_is_paid_by_removing_the_comment(shop: Repo) -> None:
    done = run_cli("import", "todo", "-o", "docs/gatilhos/imported.md", cwd=shop.root)
    assert (done.status, shop.changed()) == (0, ["docs/gatilhos/imported.md"])
    checked = run_cli("check", cwd=shop.root)
    assert checked.status == 0, checked.stdout
    shop.commit("Take the rows")
    shop.write("src/b.js", "done();\n")
    run_cli("settle", cwd=shop.root)
    (paid,) = [one for one in rows_of(shop.read("docs/gatilhos/imported.md")) if one.struck]
    assert paid.note == "src/b.js has a TODO: close the file"


def test_a_second_run_proposes_nothing_and_no_file_is_overwritten(shop: Repo) -> None:
    first = run_cli("import", "todo", "-o", "review.md", cwd=shop.root)
    before = shop.read("review.md")
    again = run_cli("import", "todo", "-o", "review.md", cwd=shop.root)
    assert (first.status, again.status, shop.read("review.md")) == (0, 0, before)
    assert again.stdout == "Nothing new: 5 of 5 proposals are rows already.\n"
    shop.write("docs/gatilhos/taken.md", before)
    assert proposals(shop, "todo") == []
    shop.write("src/c.py", "# FIXME: new\n")
    shop.git("add", "-A")
    assert [one["source"] for one in proposals(shop, "todo")] == ["src/c.py:1"]
    refused = run_cli("import", "todo", "-o", "notes.md", cwd=shop.root)
    assert (refused.status, shop.read("notes.md").startswith("# TODO: buy milk")) == (1, True)
    assert "notes.md exists and is not overwritten" in refused.stderr


def test_a_reworded_or_paid_row_is_not_proposed_again(shop: Repo) -> None:
    text = run_cli("import", "todo", cwd=shop.root).stdout
    shop.write("docs/gatilhos/taken.md", text.replace("close the file", "close it", 1).replace("| D-", "| ~~D-", 1))
    shop.write("docs/gatilhos/taken.md", shop.read("docs/gatilhos/taken.md"))
    assert proposals(shop, "src/b.js") == []


def test_items_of_instructions_that_name_files_become_rules(shop: Repo) -> None:
    shop.write("AGENTS.md", "# How\n\n- Run `make` first.\n- Keep `src/b.js` small,\n  and plain.\n- See `src/`.\n")
    shop.write("src/AGENTS.md", "* Only tabs here.\n")
    shop.commit()
    found = {one["source"]: one for one in proposals(shop, "agents")}
    assert {name: one["triggers"] for name, one in found.items()} == {
        "AGENTS.md:4": [r"path: ^src/b\.js$"], "AGENTS.md:6": ["path: ^src/"], "src/AGENTS.md:1": ["path: ^src/"],
    }  # fmt: skip
    assert found["AGENTS.md:4"]["note"] == "Keep `src/b.js` small, and plain."
    assert proposals(shop, "AGENTS.md", "--start")[0]["triggers"] == ["start"]


def test_rules_files_keep_their_globs(shop: Repo) -> None:
    head = "---\ndescription: TypeScript\nglobs: src/**/*.{ts,tsx}, ./lib/*.js\nalwaysApply: false\n---\n"
    shop.write(".cursor/rules/ts.mdc", f"{head}# TS\n- No any. <!-- rule:66 -->\n- No enums.\n")
    shop.write(".cursor/rules/all.mdc", "---\nalwaysApply: true\n---\nBe short.\n")
    shop.write(".cursor/rules/none.mdc", "---\ndescription: on request\n---\n- x\n")
    shop.write(".cursor/rules/long.mdc", head + "".join(f"- rule {number}\n" for number in range(9)))
    shop.write(".claude/rules/api.md", "---\npaths:\n  - \"api/**\"\n  - 'web/*'\n---\nAnswer with problem details.\n")
    shop.commit()
    cursor = {one["source"]: (one["triggers"], one["note"]) for one in proposals(shop, "cursor")}
    globs = ["glob: src/**/*.ts", "glob: src/**/*.tsx", "glob: lib/*.js"]
    assert cursor == {
        ".cursor/rules/ts.mdc:7": (globs, "No any."),
        ".cursor/rules/ts.mdc:8": (globs, "No enums."),
        ".cursor/rules/all.mdc:4": (["start"], "Be short."),
        ".cursor/rules/long.mdc:1": (globs, "Read .cursor/rules/long.mdc first: TypeScript"),
    }
    (api,) = proposals(shop, ".claude/rules")
    assert (api["triggers"], api["note"]) == (["glob: api/**", "glob: web/*"], "Answer with problem details.")


def test_hookify_rules_keep_their_patterns_where_a_trigger_can_say_them(shop: Repo) -> None:
    def rule(name: str, head: str) -> None:
        shop.write(
            f".claude/hookify.{name}.local.md", f"---\nname: {name}\nenabled: true\n{head}\n---\n\n**Stop.** Ask.\n"
        )

    rule("rm", "event: bash\npattern: rm\\s+-rf|dd\\s+if=\naction: block")
    rule("env", "event: file\nconditions:\n  - field: file_path\n    operator: regex_match\n    pattern: \\.env$")
    rule("text", "event: file\npattern: console\\.log")
    rule("both", "event: file\nconditions:\n  - field: file_path\n    pattern: a\n  - field: new_text\n    pattern: b")
    rule("push", 'event: bash\npattern: "git\\\\s+push\\\\.x"')
    rule("off", "event: bash\npattern: x\nenabled: false")
    shop.commit()
    found = {one["source"].split(".")[2]: one for one in proposals(shop, "hookify")}
    assert {name: one["triggers"] for name, one in found.items()} == {
        "rm": ["cmd: rm\\s+-rf|dd\\s+if="], "env": ["write: \\.env$"],
        "push": ["cmd: git\\s+push\\.x"],
    }  # fmt: skip
    assert found["rm"]["note"] == "**Stop.** Ask."


def test_a_table_of_six_columns_keeps_its_ids_counts_and_states(shop: Repo) -> None:
    shop.write(
        "old/backlog.md",
        "| id | item | gatilho | caronas | estado | onde |\n|---|---|---|---|---|---|\n"
        "| D-9 | Sem teste. | `^src/(a\\|b)` | 2 | devida | x |\n| ~~D-8~~ | Pago. | `^c` | 1 | paga | y |\n"
        "| D-1 | Outro. | `^d` | 0 | devida | z |\n",
    )
    text = run_cli("import", "old/backlog.md", cwd=shop.root).stdout
    kept = [(one.id, one.note, str(one.triggers[0]), one.rides, one.struck) for one in rows_of(text)]
    assert kept == [("D-9", "Sem teste.", "path: ^src/(a|b)", 2, False), ("D-8", "Pago.", "path: ^c", 1, True)]


def test_a_table_keeps_what_says_when_its_rows_speak(shop: Repo) -> None:
    line = "| key | 2027-01-01 | 2026-01-01 | 5 | `exists a.py` | `yes: src/x` | `contains a.py x` |"
    columns = "| key | expires | not before | ask after | holds while | examples | violated when |"
    header = "| id | trigger | note " + columns
    shop.write("old/a.md", f"{header}\n{'|---' * 10}|\n| R-1 | `^src/` | n {line}\n")
    text = run_cli("import", "old/a.md", cwd=shop.root).stdout
    assert (columns[1:] in text, line[1:] in text) == (True, True)


def test_one_file_of_instructions_knows_all_files_of_the_repository(shop: Repo) -> None:
    shop.write("kept.py", "x\n")
    shop.write("AGENTS.md", "- Use `kept.py` with care.\n")
    shop.commit()
    assert "| `path: ^kept\\.py$` | Use `kept.py` with care. |" in run_cli("import", "AGENTS.md", cwd=shop.root).stdout


def test_nothing_found_and_unknown_sources(shop: Repo) -> None:
    assert run_cli("import", "hookify", cwd=shop.root).stdout == "Nothing found.\n"
    assert run_cli("import", "nowhere", cwd=shop.root).status == 2
    assert shop.changed() == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("x = 1  # TODO: a", "TODO: a"),
        ("  * FIXME(bo) b */", "FIXME(bo) b"),
        ("{/* TODO: c */}", "TODO: c"),
        ("-- TODO: d", "TODO: d"),
        ("; FIXME e", "FIXME e"),
        ("//TODO: f", "TODO: f"),
    ],
)
def test_comments_of_many_languages(line: str, text: str) -> None:
    assert [one.text for one in find_comments("x.src", line)] == [text]


@pytest.mark.parametrize(
    "line",
    ["TODO: a", "x = 'TODO: a'", "# TODO", "# TODOS: a", "--TODO a", "# TODO-list", "#" + "x" * 600 + " TODO: a"],
)
def test_what_is_no_such_comment(line: str) -> None:
    assert find_comments("x.py", line) == []


@given(st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=30))
def test_a_literal_matches_its_text_and_no_other(text: str) -> None:
    pattern = literal(text)
    assert search(pattern, text, Budget(1.0))
    assert "\\|" not in pattern


def test_heads_of_rules_files() -> None:
    rules = read_rules("---\na: [x, \"y\"]\nb: 'one, two'\nc:\n- *.py\n# no\n---\nbody\n")
    assert (rules.texts("a"), rules.texts("b"), rules.texts("c")) == (["x", "y"], ["one", "two"], ["*.py"])
    assert (rules.body, rules.first_line) == ("body\n", 8)
    assert read_rules("---\nno end\n").head == {}


def test_globs_and_items() -> None:
    assert glob_triggers(["./a/{b,c}/*.{x,y}"]) == tuple(f"glob: a/{one}/*.{two}" for one in "bc" for two in "xy")
    assert items_of("- a\n  - nested\nmore\n\n```\n- code\n```\n1. b\n") == [(1, "a - nested more"), (8, "b")]


def test_the_table_is_read_as_it_is_printed(shop: Repo) -> None:
    printed = run_cli("import", "all", cwd=shop.root).stdout
    found = proposals(shop, "all")
    assert [(one.id, [str(c) for c in one.conditions]) for one in rows_of(printed)] == [
        (one["id"], one["paid_when"]) for one in found
    ]
    assert run_cli("check", cwd=shop.root).status == 0
    assert shop.read(BACKLOG).count("\n") == 3


def test_what_holds_a_secret_is_left_out_and_named_by_its_kind(shop: Repo) -> None:
    token, password = "gh" + "p_" + "A" * 36, "https://u:" + "pw12345" + "@h.invalid/x"
    shop.write("src/c.py", f"# TODO: replace {token} here\n# TODO: {password} is down\n# TODO: a third\n")
    shop.commit()
    done = run_cli("import", "src/c.py", cwd=shop.root)
    assert done.status == 0
    assert "a third" in done.stdout
    assert "Left out 2 that seem to hold a secret: src/c.py:1 (GitHub token), src/c.py:2 (" in done.stderr
    assert token not in done.stdout + done.stderr
    assert "pw12345" not in done.stdout + done.stderr
    said = json.loads(run_cli("import", "todo", "--json", cwd=shop.root).stdout)
    assert [one["source"] for one in said["left_out"]] == ["src/c.py:1", "src/c.py:2"]
