"""`gatilho config` (Reading): show the configuration in force, and where each value is from."""

import argparse
import os
from collections.abc import Callable
from typing import Any

from gatilho import config_schema, configfile, render
from gatilho.config import FILE, PYPROJECT, Config
from gatilho.console import command_options
from gatilho.errors import ExitStatus
from gatilho.model import Value


def main(argv: list[str]) -> int:
    """Print each key with its value and its source; 1 where the file has problems."""
    given = _parser().parse_args(argv)
    if given.schema:
        render.print_json(config_schema.schema())
        return ExitStatus.FINE
    root = command_options.repository_of(given.root).root
    config, problems = configfile.load(root)
    values, file = _flat(config), _file(root)
    defaults, changed = _flat(Config()), configfile.values_in(root)
    sources = {key: file if _is_from(changed, key, value) else "default" for key, value in values.items()}
    if given.json:
        found = {
            key: {"value": value, "from": sources[key], "default": defaults.get(key)} for key, value in values.items()
        }
        render.print_json({"file": file, "values": found, "problems": [*map(render.problem_as_json, problems)]})
    else:
        width = max(map(len, values))
        for key, value in values.items():
            render.line(f"{key:<{width}}  {_shown(value)}  ({sources[key]})")
        render.print_problems(problems)
    return ExitStatus.PROBLEMS if problems else ExitStatus.FINE


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "config",
        f"Show the configuration in force: each key with its value, and whether it is from {FILE},\n"
        f"{PYPROJECT} or the default. Exits 1 where the file has problems.",
        "gatilho config",
        "gatilho config --schema > gatilho.schema.json",
    )
    parser.add_argument("--schema", action="store_true", help=f"print the JSON schema of {FILE}, for editors")
    command_options.add_json(parser)
    return parser


def _file(root: str) -> str:
    """Return the file that is read, the usual one where there is none."""
    if not os.path.exists(f"{root}/{FILE}") and configfile.values_in(root):
        return PYPROJECT
    return FILE


def _flat(config: Config) -> dict[str, Any]:
    """Return every value by its key with dots, sections taken apart."""
    found: dict[str, Any] = {}
    for name in Config.__fields__:
        value = getattr(config, name)
        if isinstance(value, Value):
            value = {field: getattr(value, field) for field in type(value).__fields__}
        elif name in _SECTIONS:
            value = _SECTIONS[name](value)
        else:
            found[name] = list(value) if isinstance(value, tuple) else value
            continue
        found.update({f"{name}.{key}": one for key, one in value.items()})
    return found


# What a section that is no record holds, by what is after its name.
_SECTIONS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "kinds": lambda kinds: {name: {"half_life_days": half, "ttl_days": ttl} for name, (half, ttl) in kinds.items()},
    "sources": lambda sources: {file: {"lifecycle": lifecycle} for file, lifecycle in sources.items()},
    "packs": lambda packs: {name: {"git": git, "rev": rev} for name, git, rev in packs},
    "hosts": lambda hosts: {f"{name}.{key}": one for name, entry in hosts.items() for key, one in entry.items()},
    "tools": lambda tools: {name: {"does": does, "paths": list(paths)} for name, (does, paths) in tools.items()},
}


def _is_from(written: dict[str, Any], key: str, value: Any) -> bool:
    """Return whether the file gives that value; one that does not fit is left out, and the default is in force."""
    plain = list(value) if isinstance(value, tuple) else value
    return written[key] == plain if key in written else any(one.startswith(f"{key}.") for one in written)


def _as_key(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _shown(value: Any) -> str:
    """Return a value as the file would have it."""
    if isinstance(value, dict):
        inner = ", ".join(f"{_as_key(name)} = {_shown(one)}" for name, one in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
