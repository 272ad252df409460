"""The shape of the package: who may import whom, who owns which dependency, and that every import leads somewhere."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import CHECKOUT

PACKAGE = CHECKOUT / "gatilho"

# Each third-party package has one module that imports it; the others go through that one.
OWNERS = {
    "git": "gatilho.compare.revisions",
    "mistune": "gatilho.store.document",
    "pathspec": "gatilho.triggers.globs",
    "platformdirs": "gatilho.conditions.allowed",
    "regex": "gatilho.triggers.patterns",
    "rich": "gatilho.render",
}
# Who starts processes: git is asked through one door, by those who configure it or merge, and by the doctor.
STARTERS = {
    "gatilho.git.query", "gatilho.review.driver", "gatilho.merge.text",
    "gatilho.conditions.commands", "gatilho.conditions.sandbox", "gatilho.conditions.supervisor",
    "gatilho.commands.init", "gatilho.doctor.interpreter", "gatilho.doctor.merges", "gatilho.doctor.probe",
}  # fmt: skip

# The rooms of the package and those that each may import from, besides itself and the modules at the top.
ROOMS = {
    "triggers": set(),
    "conditions": {"triggers", "store"},
    "store": {"triggers", "conditions"},
    "hosts": set(),
    "ladder": {"triggers", "conditions", "store", "hosts"},
    "checks": {"triggers", "conditions", "store", "ladder"},
    "review": {"triggers", "store", "ladder"},
    "doctor": {"conditions", "store", "hosts", "checks", "review"},
    "commands": {"triggers", "conditions", "store", "hosts", "ladder", "checks", "review", "doctor"},
}
# Imports from one room into another that the table above does not have, each with its reason.
RECORDED = {
    # The events of a row's life are one table, and what the store writes is planned by it.
    ("gatilho.store.planning", "gatilho.ladder.lifecycle"),
    # The index keeps the configuration as JSON, without the `json` package.
    ("gatilho.index.freshness", "gatilho.hosts.wire"),
    ("gatilho.index.refresh", "gatilho.hosts.wire"),
    # What a tool call names is told by its host's words for tools and arguments.
    ("gatilho.conditions.outcome", "gatilho.hosts.tools"),
    ("gatilho.hosts.tools", "gatilho.patch_text"),
    # What is wrong is mended by the same code that `init` and `fold` run.
    ("gatilho.doctor.hooks", "gatilho.commands.init"),
    ("gatilho.doctor.hooks", "gatilho.commands.planned"),
    ("gatilho.doctor.merges", "gatilho.commands.init"),
    ("gatilho.doctor.merges", "gatilho.commands.planned"),
    ("gatilho.doctor.package", "gatilho.commands.init"),
    ("gatilho.doctor.package", "gatilho.commands.planned"),
    ("gatilho.doctor.stores", "gatilho.commands.fold"),
}
# Modules among the commands that are no command: pieces that several share.
PIECES = {"columns", "explain", "lookup", "options", "page", "person", "planned", "rowview", "transition"}
# A command that takes up what another one does.
TAKEN_UP = {("uninstall", "init"), ("resolve", "merge_driver")}

# What the hook may never load, on no path.
NOT_FOR_HOOKS = (
    "gatilho.cli",
    "gatilho.commands",
    "gatilho.render",
    "gatilho.review",
    "gatilho.checks",
    "gatilho.doctor",
)
# Modules on the way of every tool call; they may import at the top what is built in, and each other.
HOTTEST = {
    "gatilho.hook", "gatilho.quiet", "gatilho.value", "gatilho.hosts.asking", "gatilho.hosts.claude",
    "gatilho.hosts.codex", "gatilho.hosts.cursor", "gatilho.hosts.detect", "gatilho.hosts.event",
    "gatilho.hosts.gemini", "gatilho.hosts.tools", "gatilho.hosts.wire", "gatilho.git.root",
    "gatilho.index.signature", "gatilho.triggers.paths", "gatilho.shell.plain_command",
}  # fmt: skip
# Two Python modules stand in where a built-in one is missing: on Windows, and without the C scanner.
STAND_INS = {"os", "json"}


def _name_of(path: Path) -> str:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name_of(path): ast.parse(path.read_bytes()) for path in sorted(PACKAGE.rglob("*.py"))}


def _imported(tree: ast.AST) -> Iterator[str]:
    """The modules that import statements below a node name, but for those that only annotations need."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            assert node.level == 0, "imports name the package"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module
        else:
            yield from _imported(node)


def _at_the_top(tree: ast.Module) -> Iterator[str]:
    """The modules that are imported as soon as this one is."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from _imported(ast.Module([node], []))


IMPORTS = {name: set(_imported(tree)) for name, tree in MODULES.items()}
OWN = {name: {one for one in found if one.split(".")[0] == "gatilho"} for name, found in IMPORTS.items()}


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else ""


def test_every_import_of_ours_leads_to_a_module_and_to_a_name_in_it() -> None:
    missing = []
    names_in = {name: _names_in(tree) for name, tree in MODULES.items()}
    for name, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "gatilho":
                assert node.module in MODULES, f"{name} imports from {node.module}"
                missing += [
                    f"{name}: {node.module}.{alias.name}"
                    for alias in node.names
                    if alias.name not in names_in[node.module] and f"{node.module}.{alias.name}" not in MODULES
                ]
    assert missing == []


def _names_in(tree: ast.Module) -> set[str]:
    """The names that a module defines at its top, those that only annotations may use included."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def test_each_dependency_has_one_owner() -> None:
    users = {
        (name, package)
        for name, found in IMPORTS.items()
        for package in {one.split(".")[0] for one in found} - {"gatilho"} - set(sys.stdlib_module_names)
    }
    assert users == {(owner, package) for package, owner in OWNERS.items()}


def test_few_modules_start_processes() -> None:
    assert {name for name, found in IMPORTS.items() if "subprocess" in found} == STARTERS


def test_what_is_imported_is_what_the_project_requires() -> None:
    names = {"gitpython": "git"}
    project = (CHECKOUT / "pyproject.toml").read_text().partition("\ndependencies = [")[2].partition("]")[0]
    required = {line.strip(' ",').partition(">")[0] for line in project.split("\n") if line.strip()}
    assert {names.get(one, one) for one in required} == set(OWNERS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_from_those_below_it(room: str) -> None:
    crossing = {
        (name, one)
        for name in MODULES
        if _room(name) == room
        for one in OWN[name]
        if _room(one) not in ("", room, *ROOMS[room])
    }
    assert crossing - RECORDED == set()


def test_what_is_recorded_is_still_so() -> None:
    assert {pair for pair in RECORDED if pair[1] not in OWN[pair[0]]} == set()


def test_a_command_imports_no_other_command() -> None:
    commands = {name.split(".")[-1] for name in MODULES if name.startswith("gatilho.commands.")} - PIECES
    crossing = {
        (name, one.split(".")[-1])
        for name in commands
        for one in OWN[f"gatilho.commands.{name}"]
        if one.startswith("gatilho.commands.") and one.split(".")[-1] in commands
    }
    assert crossing == TAKEN_UP


def test_only_commands_and_the_command_line_know_commands() -> None:
    users = {name for name in MODULES for one in OWN[name] if one.startswith("gatilho.commands")}
    assert {name for name in users if _room(name) not in ("commands", "doctor")} <= {"gatilho.cli"}


def test_no_path_leads_from_the_hook_to_what_only_people_use() -> None:
    reached = {"gatilho.hook"}
    waiting = ["gatilho.hook"]
    while waiting:
        for one in OWN[waiting.pop()] - reached:
            reached.add(one)
            waiting.append(one)
    assert sorted(one for one in reached if one.startswith(NOT_FOR_HOOKS)) == []


@pytest.mark.parametrize("module", sorted(HOTTEST))
def test_what_every_tool_call_loads_imports_only_what_is_built_in(module: str) -> None:
    built_in = {*sys.builtin_module_names, "posix", "_json"}
    assert set(_at_the_top(MODULES[module])) - HOTTEST - built_in - STAND_INS == set()
