"""`gatilho config`: what is in force and from where; the schema takes what the reader takes, and refuses the rest."""

import json
import re
import tomllib

import jsonschema
import pytest
from builders import CHECKOUT, Repo, run_cli
from documents import pieces

from gatilho import config_schema, configfile


def test_each_value_is_shown_with_its_source(repo: Repo) -> None:
    repo.write(
        "gatilho.toml", 'ask_after = 5\nstores = ["../team"]\n[kinds.runbook]\nhalf_life_days = 45\nttl_days = 90\n'
    )
    lines = [" ".join(line.split()) for line in run_cli("config", cwd=repo.root).stdout.split("\n")]
    assert "ask_after 5 (gatilho.toml)" in lines
    assert 'warn "after" (default)' in lines
    assert 'stores ["../team"] (gatilho.toml)' in lines
    assert "kinds.runbook { half_life_days = 45, ttl_days = 90 } (gatilho.toml)" in lines
    assert "kinds.state { half_life_days = 7, ttl_days = 30 } (default)" in lines


def test_the_json_of_a_table_in_pyproject_has_values_sources_and_defaults(repo: Repo) -> None:
    repo.write("pyproject.toml", "[tool.gatilho.conditions]\ntimeout = 9\n")
    read = json.loads(run_cli("config", "--json", cwd=repo.root).stdout)
    assert read["file"] == "pyproject.toml"
    assert read["values"]["conditions.timeout"] == {"value": 9, "from": "pyproject.toml", "default": 30}
    assert read["values"]["ask_after"] == {"value": 3, "from": "default", "default": 3}


def test_a_problem_is_shown_and_the_default_holds(repo: Repo) -> None:
    repo.write("gatilho.toml", 'ask_after = "5"\n')
    done = run_cli("config", cwd=repo.root)
    assert done.status == 1
    assert "GT003" in done.stdout
    (problem,) = json.loads(run_cli("config", "--json", cwd=repo.root).stdout)["problems"]
    assert (problem["code"], problem["line"], "`ask_after`" in problem["message"]) == ("GT003", 1, True)
    assert re.search(r"^ask_after +3  \(default\)$", done.stdout, re.MULTILINE)


FORMAT = next(one.body for one in pieces(CHECKOUT / "docs/format.md") if "ask_after" in one.body)
FILES = [
    FORMAT,
    "",
    "[kinds.state]\nttl_days = 3\n",
    "[kinds.runbook]\nhalf_life_days = 45\nttl_days = 180\n",
    '[sources."backlog.md"]\nlifecycle = "debt"\n',
    '[tools.mcp__server__tool]\ndoes = "writes"\npaths = ["relative_path"]\n',
    "ask_afer = 3\n",
    "ask_after = 0\n",
    "ask_after = true\n",
    'ask_after = "3"\n',
    'warn = "never"\n',
    'stores = "x"\n',
    "stores = [1]\n",
    "[conditions]\ntimeout = 0\n",
    "[conditions]\nsandboxed = 1\n",
    "conditions = 1\n",
    "[kinds.runbook]\nhalf_life_days = 45\n",
    '[tools.x]\npaths = ["a"]\n',
    '[sources.x]\nlifecycle = "owed"\n',
]


@pytest.mark.parametrize("text", FILES)
def test_the_schema_and_the_reader_agree(text: str) -> None:
    problems = configfile.configuration_in(text.encode(), None)[1]
    validator = jsonschema.Draft202012Validator(config_schema.schema())
    assert validator.is_valid(tomllib.loads(text)) == (problems == [])


def test_the_schema_that_is_printed_is_a_schema(repo: Repo) -> None:
    printed = json.loads(run_cli("config", "--schema", cwd=repo.root).stdout)
    jsonschema.Draft202012Validator.check_schema(printed)
    assert printed == config_schema.schema()
