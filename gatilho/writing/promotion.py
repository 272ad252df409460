"""A rule as a check of another tool: the file that would have to change, for the few forms that can be generated."""

from json import dumps  # a text in double quotes, as TOML and YAML read it too
from shlex import quote

from gatilho.errors import UsageError
from gatilho.model import Condition, Row

TARGETS = ("ruff", "pre-commit", "github")
_PYPROJECT, _HOOKS = "pyproject.toml", ".pre-commit-config.yaml"
_BANNED = "[tool.ruff.lint.flake8-tidy-imports.banned-api]"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")


def promoted(row: Row, target: str, old: bytes) -> bytes:
    """Return the new bytes of the file that makes a check of a rule; raises UsageError for what has no such form."""
    conditions = [one for one in row.violated_when if one.kind == "contains"]
    if len(row.violated_when) != 1 or not conditions:
        raise UsageError(
            f"{row.id}: a check can be made of one condition `contains PATH REGEX` in its `violated when` cell. "
            "Write one, or write the check by hand."
        )
    make = {"ruff": _for_ruff, "pre-commit": _for_pre_commit, "github": _for_github}[target]
    return make(row, conditions[0], old.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def file_of(row: Row, target: str) -> str:
    """Return the name of the file that a promotion changes."""
    return {"ruff": _PYPROJECT, "pre-commit": _HOOKS}.get(target, f".github/workflows/rule-{_slug(row.id)}.yml")


def _for_ruff(row: Row, condition: Condition, text: str) -> str:
    """Add a banned name of Python, which TID251 reports."""
    name = _python_name(condition.pattern)
    if not name:
        raise UsageError(
            f"{row.id}: ruff can forbid a name of Python, as in `contains src/**/*.py time\\.sleep`, and "
            f"`{condition.pattern}` is no such name. `--to pre-commit` takes any pattern."
        )
    line = f"{dumps(name)}.msg = {dumps(row.note)}\n"
    if _BANNED in text:
        before, _, after = text.partition(f"{_BANNED}\n")
        return f"{before}{_BANNED}\n{line}{after}"
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{_BANNED}\n{line}"


def _python_name(pattern: str) -> str:
    """Return the dotted name that a pattern spells, "" where it is more than one."""
    bare = pattern.removeprefix(r"\b").removesuffix(r"\b").removesuffix(r"\(").removesuffix(r"\b")
    for word in ("import ", "from "):
        bare = bare.removeprefix("^").removeprefix(word)
    name = bare.replace("\\.", ".")
    is_name = set(name) <= _NAME and "\\" not in name and all(part.isidentifier() for part in name.split("."))
    return name if is_name else ""


def _for_pre_commit(row: Row, condition: Condition, text: str) -> str:
    """Add a hook that searches for the pattern in the files."""
    from gatilho.triggers.globs import glob_to_regex

    files = glob_to_regex(f"/{condition.argument}").removeprefix("(?s)").replace(r"\Z", "$")
    hook = (
        "  - repo: local\n    hooks:\n"
        f"      - id: rule-{_slug(row.id)}\n        name: {dumps(row.note)}\n        language: pygrep\n"
        f"        entry: {_single(condition.pattern)}\n        files: {_single(files)}\n"
    )
    if not text.strip():
        return f"repos:\n{hook}"
    last = [line for line in text.split("\n") if line and not line.startswith((" ", "#", "-"))]
    if not last or last[-1].strip() != "repos:":
        raise UsageError(f"{_HOOKS} does not end with its list of `repos:`, so nothing can be added to it safely.")
    body = text if text.endswith("\n") else f"{text}\n"
    indented = any(line.startswith("  - repo") for line in text.split("\n"))
    return body + (hook if indented else "".join(f"{line[2:]}\n" for line in hook.rstrip("\n").split("\n")))


def _for_github(row: Row, condition: Condition, text: str) -> str:
    """Return a workflow that fails where the pattern is found."""
    search = f"git grep -nP -e {quote(condition.pattern)} -- {quote(f':(glob){condition.argument}')}"
    return (
        f"name: {dumps(f'Rule {row.id}')}\non: [push, pull_request]\npermissions:\n  contents: read\njobs:\n  look:\n"
        "    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n"
        f"      - name: {dumps(row.note)}\n        run: |\n          if {search}; then exit 1; fi\n"
    )


def _slug(row_id: str) -> str:
    return "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in row_id.lower()).strip("-")


def _single(text: str) -> str:
    """Return a text in single quotes, as YAML reads it."""
    return "'" + text.replace("'", "''") + "'"
