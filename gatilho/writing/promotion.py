"""A rule as a check of another tool: the file that would have to change, for the few forms that can be generated."""

import re
import tomllib
from json import dumps
from shlex import quote

from gatilho.conditions.walk import GlobNames
from gatilho.errors import UsageError
from gatilho.model import STORE, Condition, Row
from gatilho.plain import clean
from gatilho.triggers.globs import glob_to_regex

TARGETS = ("ruff", "pre-commit", "github")
_PYPROJECT, _HOOKS = "pyproject.toml", ".pre-commit-config.yaml"
# Where one of these is, ruff reads no other file.
_OWN_FILES = (".ruff.toml", "ruff.toml")
_PYTHON = (".py", ".pyi", "**")
_BANNED = "flake8-tidy-imports.banned-api"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
# A name that is built in is no import, which TID251 reports; these have checks of their own.
_OF_BUILTINS = {"print": "T201", "breakpoint": "T100", "eval": "S307", "exec": "S102"}
_BY_NAME = "TID251"


def promoted(row: Row, target: str, read: "dict[str, bytes | None]") -> tuple[str, bytes]:
    """Return the file that makes a check of a rule, and its new bytes; raises UsageError for what has no such form.

    read: the present bytes of the files of `target_files`.
    """
    conditions = [one for one in row.violated_when if one.kind == "contains"]
    if len(row.violated_when) != 1 or not conditions:
        raise UsageError(
            f"{row.id}: a check can be made of one condition `contains PATH REGEX` in its `violated when` cell. "
            "Write one, or write the check by hand."
        )
    name = next(name for name in target_files(row, target) if read.get(name) is not None or name not in _OWN_FILES)
    old = read.get(name)
    text = (old or b"").decode("utf-8", "surrogateescape")
    make = {"ruff": _for_ruff, "pre-commit": _for_pre_commit, "github": _for_github}[target]
    said = row.replace(note=clean(row.note))
    new = make(said, conditions[0], text.replace("\r\n", "\n"), name)
    return name, (new.replace("\n", "\r\n") if "\r\n" in text else new).encode("utf-8", "surrogateescape")


def target_files(row: Row, target: str) -> tuple[str, ...]:
    """Return the names of the files that a promotion may change: the first that is there, else the last."""
    if target == "ruff":
        return (*_OWN_FILES, _PYPROJECT)
    return (_HOOKS,) if target == "pre-commit" else (f".github/workflows/rule-{_slug(row.id)}.yml",)


def hint_of(row: Row, target: str) -> str:
    """Return what a person has to know of a promotion, "" for nothing."""
    name = _python_name(row.violated_when[0].pattern) if target == "ruff" else ""
    if not name:
        return ""
    code, path = _OF_BUILTINS.get(name, _BY_NAME), row.violated_when[0].argument
    return f"ruff reports `{name}` ({code}) in every Python file that it checks, not in {path} alone."


def _for_ruff(row: Row, condition: Condition, text: str, file: str) -> str:
    """Add the check of a builtin to those that are selected, or a banned name, which TID251 reports."""
    name = _python_name(condition.pattern)
    if not name or not condition.argument.endswith(_PYTHON):
        raise UsageError(
            f"{row.id}: ruff can forbid a name of Python, as in `contains src/**/*.py time\\.sleep`, and "
            f"`{condition.text}` is no such name. `--to pre-commit` takes any pattern."
        )
    lint = "lint" if file in _OWN_FILES else "tool.ruff.lint"
    code = _OF_BUILTINS.get(name, _BY_NAME)
    new = _with_selected(text, lint, code)
    if code == _BY_NAME:
        new = _with_line(new, f"[{lint}.{_BANNED}]", f"{_quoted(name)}.msg = {_quoted(row.note)}")
    try:
        tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        raise UsageError(
            f"{row.id}: nothing can be added safely to {file} as it is written. By hand: select {code}"
            + (f", and ban `{name}` in [{lint}.{_BANNED}]." if code == _BY_NAME else ".")
        ) from None
    return new


def _with_selected(text: str, lint: str, code: str) -> str:
    """Return settings of ruff that select a check."""
    found = tomllib.loads(text)
    for key in lint.split("."):
        found = found.get(key, {})
    selected = [*found.get("select", ()), *found.get("extend-select", ())]
    if any(one == "ALL" or code.startswith(one) for one in selected):
        return text
    before, header, after = text.partition(f"[{lint}]")
    settings, rest = (
        (after[: end.start()], after[end.start() :]) if (end := re.search(r"^\[", after, re.M)) else (after, "")
    )
    new = re.sub(
        r"^((?:extend-)?select\s*=\s*\[)(?=(\s*)(\]?))",
        lambda one: _listed_first(one, code),
        settings,
        count=1,
        flags=re.M,
    )
    if new != settings:
        return before + header + new + rest
    return _with_line(text, f"[{lint}]", f'extend-select = ["{code}"]')


def _listed_first(opening: re.Match[str], code: str) -> str:
    """Return the start of a list with a first element, on a line of its own where the others have one."""
    start, gap, end = opening.groups()
    return f'{start}{gap}"{code}",' if "\n" in gap else f'{start}"{code}"' if end else f'{start}"{code}", '


def _with_line(text: str, header: str, line: str) -> str:
    """Return TOML with a line after a header, which is added at the end where it is not there."""
    lines = text.split("\n")
    at = next((at for at, one in enumerate(lines) if one.partition("#")[0].strip() == header), -1)
    if at >= 0:
        return "\n".join([*lines[: at + 1], line, *lines[at + 1 :]])
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{header}\n{line}\n"


def _python_name(pattern: str) -> str:
    """Return the dotted name that a pattern spells, "" where it is more than one or ruff would not find it."""
    bare = pattern.removeprefix(r"\b").removesuffix(r"\b").removesuffix(r"\(").removesuffix(r"\b")
    imported = False
    for word in ("import ", "from "):
        imported = imported or bare.removeprefix("^").startswith(word)
        bare = bare.removeprefix("^").removeprefix(word)
    name = bare.replace("\\.", ".")
    is_name = set(name) <= _NAME and "\\" not in name and all(part.isidentifier() for part in name.split("."))
    # What is called by a name alone was imported under it, so its full name is another, or it is built in.
    is_called = pattern.endswith(r"\(") and "." not in name and not imported
    return name if is_name and (not is_called or name in _OF_BUILTINS) else ""


def _for_pre_commit(row: Row, condition: Condition, text: str, file: str) -> str:
    """Add a hook that searches for the pattern in the files."""
    files = glob_to_regex(f"/{condition.argument}").removeprefix("(?s)").replace(r"\Z", "$")
    try:
        re.compile(files)
        re.compile(condition.pattern.encode("utf-8", "surrogateescape"))
    except re.error as error:
        raise UsageError(f"{row.id}: pre-commit searches with Python's `re`, for which {error.msg}.") from None
    own = f"^({re.escape(row.subtree + STORE)}/|{re.escape(file)}$)"
    left_out = f"        exclude: {_single(own)}\n" if _is_wide(row, condition, file) else ""
    hook = (
        "  - repo: local\n    hooks:\n"
        f"      - id: rule-{_slug(row.id)}\n        name: {_quoted(row.note)}\n        language: pygrep\n"
        f"        entry: {_single(condition.pattern)}\n        files: {_single(files)}\n" + left_out
    )
    if not text.strip():
        return f"repos:\n{hook}"
    last = [line for line in text.split("\n") if line and not line.startswith((" ", "#", "-"))]
    if not last or not last[-1].startswith("repos:") or last[-1].strip() != "repos:":
        raise UsageError(f"{_HOOKS} does not end with its list of `repos:`, so nothing can be added to it safely.")
    body = text if text.endswith("\n") else f"{text}\n"
    indented = any(line.startswith("  - repo") for line in text.split("\n"))
    return body + (hook if indented else "".join(f"{line[2:]}\n" for line in hook.rstrip("\n").split("\n")))


def _for_github(row: Row, condition: Condition, text: str, file: str) -> str:
    """Return a workflow that fails where the pattern is found."""
    if "${{" in f"{condition.text}{row.note}":
        raise UsageError(f"{row.id}: GitHub would evaluate `${{{{` as an expression, so no workflow is made of it.")
    search = f"git grep -nP -e {quote(condition.pattern)} -- {quote(f':(glob){condition.argument}')}"
    if _is_wide(row, condition, file):
        search += f" {quote(f':(exclude){row.subtree}{STORE}')} {quote(f':(exclude){file}')}"
    return (
        f"name: {_quoted(f'Rule {row.id}')}\non: [push, pull_request]\npermissions:\n  contents: read\njobs:\n  look:\n"
        "    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n"
        f"      - name: {_quoted(row.note)}\n        run: |\n          if {search}; then exit 1; fi\n"
    )


def _is_wide(row: Row, condition: Condition, file: str) -> bool:
    """Return whether a glob takes the row's store or the file of the check too: the check would find its own text."""
    names, store = GlobNames(condition.argument), row.subtree + STORE
    return any(map(names.takes, (file, f"{store}/a.md", f"{store}/b/a.md")))


def _slug(row_id: str) -> str:
    return "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in row_id.lower()).strip("-")


def _quoted(text: str) -> str:
    """Return a text in double quotes, as TOML, YAML and JSON read it."""
    return dumps(text, ensure_ascii=False)  # half of an emoji is no character for TOML


def _single(text: str) -> str:
    """Return a text in single quotes, as YAML reads it."""
    return "'" + text.replace("'", "''") + "'"
