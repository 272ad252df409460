"""The shape of the package: who may import whom, who owns which dependency, and that every import leads somewhere."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from builders import CHECKOUT
from sources import SOURCES, nodes_of, tree_of

from gatilho import command_list
from gatilho.hosts import catalog

pytestmark = pytest.mark.once

# Each third-party package has one module that imports it; the others go through that one.
OWNERS = {
    "git": "gatilho.git.query",
    "lsprotocol": "gatilho.editor.language_server",
    "mcp": "gatilho.agents.tool_server",
    "mistune": "gatilho.note_html",
    "pathspec": "gatilho.triggers.globs",
    "platformdirs": "gatilho.conditions.allowed",
    "pyarrow": "gatilho.report.parquet",
    "pygls": "gatilho.editor.language_server",
    "rapidfuzz": "gatilho.memory.similarity",
    "regex": "gatilho.triggers.patterns",
    "rich": "gatilho.render",
}
# Not installed with the package: `gatilho[lsp]`, `gatilho[mcp]` and `gatilho[parquet]`, each with the command that needs it.
EXTRAS = {
    "lsprotocol": "gatilho.commands.lsp",
    "pygls": "gatilho.commands.lsp",
    "mcp": "gatilho.commands.mcp",
    "pyarrow": "gatilho.commands.export",
}
# Of the standard library; each Python lists its own alone.
STANDARD = sys.stdlib_module_names | {"_sha256", "_sha2"}
# Who opens a database: each in a `with` block, which closes it. Both of the others are closed by who made them.
OPENERS = {"open_index", "open_in"}
KEEPERS = {"gatilho.ladder.event_context", "gatilho.ladder.sessions"}
# Who starts processes: git through one door, the commands of conditions, interpreters and hooks that are tried, and
# the command line for agents.
STARTERS = {
    "gatilho.git.query",
    "gatilho.conditions.commands", "gatilho.conditions.sandbox", "gatilho.conditions.supervisor",
    "gatilho.setup.install", "gatilho.setup.doctor.interpreter", "gatilho.setup.doctor.probe",
    "gatilho.agents.tool_server",
}  # fmt: skip

# The rooms of the package and those that each may import from, besides itself and the modules at the top.
ROOMS = {
    "lifecycle": set(),
    "verbs": set(),
    "ledger": set(),
    "shell": set(),
    "agents": set(),
    "document": {"verbs", "lifecycle"},
    "triggers": {"shell"},
    "git": {"triggers"},
    "hosts": {"triggers"},
    "index": {"document", "git", "ledger", "triggers"},
    "store": {"document", "git", "index", "ledger", "lifecycle"},
    "conditions": {"document", "git", "hosts", "shell", "triggers", "verbs"},
    "ladder": {
        "conditions", "document", "git", "hosts", "index", "ledger", "lifecycle", "memory", "store", "triggers", "verbs",
    },
    "compare": {"conditions", "document", "git", "ladder", "ledger", "lifecycle", "triggers", "verbs", "workspace"},
    "packs": {"git"},
    "merge": {"document", "git", "lifecycle"},
    "memory": {"document", "git", "index", "ledger", "store", "triggers"},
    "repair": {"document", "store", "workspace"},
    "workspace": {"conditions", "document", "git", "index", "ladder", "store", "triggers"},
    "backtest": {"conditions", "document", "git", "index", "triggers", "verbs", "workspace"},
    "checks": {"conditions", "document", "index", "ladder", "ledger", "lifecycle", "memory", "triggers", "verbs", "workspace"},
    "editor": {
        "checks", "conditions", "console", "document", "git", "index", "ladder", "repair", "verbs", "workspace",
    },
    "report": {
        "backtest", "checks", "compare", "conditions", "git", "index", "ladder", "ledger", "lifecycle", "memory", "store",
        "workspace",
    },
    "setup": {"checks", "conditions", "git", "hosts", "index", "store", "workspace"},
    "console": {
        "compare", "conditions", "document", "git", "hosts", "index", "ladder", "ledger", "lifecycle", "setup", "store",
        "triggers", "verbs", "workspace",
    },
    "writing": {
        "backtest", "checks", "conditions", "document", "git", "index", "ledger", "lifecycle", "memory", "setup", "store",
        "triggers", "verbs", "workspace",
    },
    "commands": set(),
}  # fmt: skip
ROOMS["commands"] = set(ROOMS) - {"commands"}
# A command that takes up what another one does.
TAKEN_UP = {("resolve", "merge_driver")}

# What the hook may never load, on no path.
NOT_FOR_HOOKS = (
    "gatilho.cli",
    "gatilho.commands",
    "gatilho.render",
    "gatilho.compare",
    "gatilho.merge",
    "gatilho.agents",
    "gatilho.console",
    "gatilho.editor",
    "gatilho.packs",
    "gatilho.workspace",
    "gatilho.checks",
    "gatilho.setup",
    "gatilho.report",
    "gatilho.writing",
    "gatilho.backtest",
)
# Modules on the way of every tool call; they may import at the top what is built in, and each other.
HOTTEST = {
    "gatilho", "gatilho.bounded", "gatilho.fast_path", "gatilho.hook", "gatilho.value", "gatilho.wire", "gatilho.hosts", "gatilho.hosts.detect",
    "gatilho.hosts.event", "gatilho.hosts.mcp", "gatilho.hosts.tools", "gatilho.git.root",
    "gatilho.index.signature", "gatilho.index.watched", "gatilho.triggers.paths", "gatilho.shell.plain_command",
    *(f"gatilho.hosts.{name}" for name in catalog.host_names()),
}  # fmt: skip
# Two Python modules stand in where a built-in one is missing: on Windows, and without the C scanner.
STAND_INS = {"os", "json"}


def _name_of(path: Path) -> str:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _modules() -> dict[str, ast.Module]:
    return {_name_of(path): tree_of(path) for path in SOURCES}


@cache
def _paths() -> dict[str, Path]:
    return {_name_of(path): path for path in SOURCES}


def _nodes(name: str) -> list[ast.AST]:
    return nodes_of(_paths()[name])


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
                yield inner if inner in _modules() else node.module
        else:
            yield from _imported(node)


def _at_the_top(tree: ast.Module) -> Iterator[str]:
    """The modules that are imported as soon as this one is."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from _imported(ast.Module([node], []))


@cache
def _imports() -> dict[str, set[str]]:
    return {name: set(_imported(tree)) for name, tree in _modules().items()}


@cache
def _own() -> dict[str, set[str]]:
    return {name: {one for one in found if one.split(".")[0] == "gatilho"} for name, found in _imports().items()}


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else ""


def test_every_import_of_ours_leads_to_a_module_and_to_a_name_in_it() -> None:
    missing = []
    names_in = {name: _names_in(name) for name in _modules()}
    for name in _modules():
        for node in _nodes(name):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "gatilho":
                assert node.module in _modules(), f"{name} imports from {node.module}"
                missing += [
                    f"{name}: {node.module}.{alias.name}"
                    for alias in node.names
                    if alias.name not in names_in[node.module] and f"{node.module}.{alias.name}" not in _modules()
                ]
    assert missing == []


def _names_in(module: str) -> set[str]:
    """The names that a module defines at its top, those that only annotations may use included."""
    found: set[str] = set()
    for node in _nodes(module):
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
        for name, found in _imports().items()
        for package in {one.split(".")[0] for one in found} - {"gatilho"} - STANDARD
    }
    assert users == {(owner, package) for package, owner in OWNERS.items()}


def test_a_database_is_closed_where_it_is_opened() -> None:
    open_ended = [
        f"{name}:{node.lineno}"
        for name in _modules()
        if name not in KEEPERS
        for node in _calls_outside_of_with(name)
        if ast.unparse(node.func).split(".")[-1] in OPENERS
    ]
    assert open_ended == []


def _calls_outside_of_with(module: str) -> Iterator[ast.Call]:
    """The calls of a module that no `with` statement ends."""
    ended = {item.context_expr for node in _nodes(module) if isinstance(node, ast.With) for item in node.items}
    return (node for node in _nodes(module) if isinstance(node, ast.Call) and node not in ended)


def test_few_modules_start_processes() -> None:
    assert {name for name, found in _imports().items() if "subprocess" in found} == STARTERS


def test_what_is_imported_is_what_the_project_requires() -> None:
    names = {"gitpython": "git"}
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = [one for extra, found in project["optional-dependencies"].items() if extra != "dev" for one in found]
    required = {one.partition(">")[0] for one in (*project["dependencies"], *extras)}
    assert {names.get(one, one) for one in required} == set(OWNERS)


def test_only_a_command_of_its_own_loads_what_an_extra_brings() -> None:
    owners = {OWNERS[package]: command for package, command in EXTRAS.items()}
    users = {(name, one) for name in _modules() for one in _own()[name] if one in owners}
    assert users == {(command, owner) for owner, command in owners.items()}
    at_once = [
        package
        for package, command in EXTRAS.items()
        if OWNERS[package] in _at_the_top(_modules()[command])
        and package in {one.split(".")[0] for one in _at_the_top(_modules()[OWNERS[package]])}
    ]
    assert at_once == [], "help and a missing extra's message need the command without the package"


# What opens files besides the one reader, and why that is no file which a clone can put in the way.
OPENERS_OF_FILES = {
    "gatilho.bounded": "the reader itself",
    "gatilho.hook": "reads our own modules, as Python keeps them compiled",
    "gatilho.files": "writes: temporary files and locks",
    "gatilho.cli": "writes to where output goes: a file that the person names, and the null device",
    "gatilho.fault": "makes a mark in the git directory",
    "gatilho.ladder.closing": "makes a mark in the git directory",
    "gatilho.ladder.sessions": "makes a mark in the git directory",
    "gatilho.index.watched": "writes in the git directory",
    "gatilho.store.hook_log": "writes in the git directory",
    "gatilho.store.local_rides": "writes in the git directory",
    "gatilho.index.refresh": "writes in the git directory",
    "gatilho.setup.dispatcher": "writes in the git directory",
    "gatilho.conditions.lastrun": "writes in the git directory",
    "gatilho.conditions.sandbox": "reads what the kernel says of its own limits, below /proc",
    "gatilho.conditions.supervisor": "reads what the kernel says of processes, below /proc",
    "gatilho.conditions.not_found": "writes in a temporary folder of its own",
    "gatilho.merge.text": "writes in a temporary folder of its own",
    "gatilho.setup.doctor.merges": "writes in a temporary folder of its own",
    "gatilho.setup.doctor.probe": "writes in a temporary folder of its own",
}
_READS = ("read_text", "read_bytes", "copyfile", "copy", "copy2", "copytree")


def test_one_reader_opens_files() -> None:
    opening = {
        name
        for name in _modules()
        for node in _nodes(name)
        if isinstance(node, ast.Call) and _opens_file(ast.unparse(node.func))
    }
    assert opening == set(OPENERS_OF_FILES)


def test_who_else_opens_files_reads_none() -> None:
    reading = [
        f"{name}:{node.lineno}"
        for name in _modules()
        if name
        not in ("gatilho.bounded", "gatilho.hook", "gatilho.conditions.sandbox", "gatilho.conditions.supervisor")
        for node in _nodes(name)
        if isinstance(node, ast.Call) and _opens_file(ast.unparse(node.func))
        if not any(
            word in ast.unparse(node) for word in ("'w'", "'wb'", "'ab'", "'x'", "O_WRONLY", "O_RDWR", "devnull")
        )
    ]
    assert reading == []


def _opens_file(called: str) -> bool:
    module, _, name = called.rpartition(".")
    opens = name in ("open", "fdopen") and module in ("", "os", "system", "posix", "io", "codecs", "pathlib.Path")
    return opens or (name in _READS and module not in ("", "copy", "files"))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_from_those_below_it(room: str) -> None:
    crossing = {
        (name, one)
        for name in _modules()
        if _room(name) == room
        for one in _own()[name]
        if _room(one) not in ("", room, *ROOMS[room])
    }
    assert crossing == set()


def test_the_rooms_have_an_order() -> None:
    assert set(TopologicalSorter(ROOMS).static_order()) == set(ROOMS)


def _reached(start: str) -> set[str]:
    """The modules of ours that importing one may load, imports inside functions included."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        new = _own()[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def test_no_module_leads_back_to_itself() -> None:
    reach = {name: _reached(name) for name in _modules()}
    rings = {
        tuple(sorted(one for one in reach[name] if name in reach[one])) for name in _modules() if name in reach[name]
    }
    assert rings == set()


def test_a_command_imports_no_other_command() -> None:
    commands = {"home", *(name.replace("-", "_") for _, name, _ in command_list.list_commands())}
    crossing = {
        (name, one.split(".")[-1])
        for name in commands
        for one in _own()[f"gatilho.commands.{name}"]
        if one.startswith("gatilho.commands.") and one.split(".")[-1] in commands
    }
    assert crossing == TAKEN_UP


def test_only_commands_and_the_command_line_know_commands() -> None:
    users = {name for name in _modules() for one in _own()[name] if one.startswith("gatilho.commands")}
    assert {name for name in users if _room(name) not in ("commands", "setup")} <= {"gatilho.cli"}


def test_no_path_leads_from_the_hook_to_what_only_people_use() -> None:
    assert sorted(one for one in _reached("gatilho.hook") if one.startswith(NOT_FOR_HOOKS)) == []


@pytest.mark.parametrize("module", sorted(HOTTEST))
def test_what_every_tool_call_loads_imports_only_what_is_built_in(module: str) -> None:
    built_in = {*sys.builtin_module_names, "posix", "_json", "_frozen_importlib", "_frozen_importlib_external"}
    assert set(_at_the_top(_modules()[module])) - HOTTEST - built_in - STAND_INS == set()
