"""The codes of problems: each means one thing, wherever it is found."""

from builders import Repo, row
from checking import problems_of

from gatilho import configfile
from gatilho.checks import registry
from gatilho.document import rows


def test_every_code_means_one_thing() -> None:
    codes = [kind.code for kind in registry.KINDS]
    assert len(codes) == len(set(codes))
    of_configuration = {configfile.SYNTAX, configfile.UNKNOWN_KEY, configfile.WRONG_VALUE}
    assert not set(codes) & (set(rows.CODES) | of_configuration)


def test_every_kind_has_a_severity_and_a_title_of_its_own() -> None:
    assert {kind.severity for kind in registry.KINDS} <= {"error", "warning", "note"}
    titles = [kind.title for kind in registry.KINDS]
    assert len(titles) == len(set(titles))
    assert all(kind.code.startswith("GT") and kind.code[2:].isdigit() for kind in registry.KINDS)


def test_problems_of_all_families_come_in_the_order_of_the_file(repo: Repo) -> None:
    repo.write("gatilho.toml", "ask_aftre = 2\n")
    repo.table(row("D-1", "path: ("), row("D-2", r"path: ^README\.md$", rides="many"), row("D-1", "prompt: x"))
    found = problems_of(repo)
    assert [(p.place.file, p.place.line, p.code) for p in found] == [
        ("docs/gatilhos/backlog.md", 3, "GT201"),
        ("docs/gatilhos/backlog.md", 3, "GT211"),
        ("docs/gatilhos/backlog.md", 4, "GT107"),
        ("docs/gatilhos/backlog.md", 5, "GT201"),
        ("docs/gatilhos/backlog.md", 5, "GT221"),
        ("gatilho.toml", 1, "GT002"),
    ]
    assert all(p.remedy for p in found)
