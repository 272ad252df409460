"""Reads `gatilho.toml` or `[tool.gatilho]` into a configuration; whatever does not fit is a problem with its place."""

import os
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

from gatilho import bounded
from gatilho.config import DOES, FILE, KIND_ALIASES, KINDS, LIFECYCLES, PYPROJECT, Conditions, Config, Corrections
from gatilho.hosts import host_named, is_built_in
from gatilho.hosts.event import AFTER, BEFORE, COMPACTION, PROMPT, SESSION_END, SESSION_START, TURN_CLOSE
from gatilho.model import Place, Problem, ProblemKind
from gatilho.nearest import nearest, suggestion
from gatilho.outside import is_outside
from gatilho.plain import shortened

SYNTAX = "GT001"
UNKNOWN_KEY = "GT002"
WRONG_VALUE = "GT003"
TWO_FILES = "GT004"
HALF_A_KIND = "GT005"

_UNTIL = "Correct it; until then the default holds."

# Bytes; settings that a person wrote are a few thousand.
_LARGEST = 1 << 20

Key = tuple[str, ...]

_PART = r"""(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)"""
_HEADER = re.compile(rf"\s*\[\s*({_PART}(?:\s*\.\s*{_PART})*)\s*\]")
_ASSIGNMENT = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")
_PACK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
_WHERE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def load(root: str) -> tuple[Config, list[Problem]]:
    """Return the configuration of the repository at root and its problems, in the order of the file."""
    try:
        own = _bytes_of(root, FILE)
    except OSError as error:
        message = f"the file cannot be read: {error.strerror or error}"
        return Config(), [Problem(SYNTAX, "error", Place(FILE, 1), message, "Until it can, the defaults hold.")]
    try:
        project = _bytes_of(root, PYPROJECT)
    except OSError as error:
        config, problems = configuration_in(own, None)
        message = f"the file cannot be read: {error.strerror or error}"
        return config, [*problems, Problem(SYNTAX, "error", Place(PYPROJECT, 1), message, "Make it a readable file.")]
    return configuration_in(own, project)


def values_in(root: str) -> dict[str, Any]:
    """Return what the file sets which is read, right or wrong: by key, with dots between a section and its keys."""
    return _dotted(_source_in(root).table())


def problem_at(root: str, kind: ProblemKind, key: Key, message: str, remedy: str) -> Problem:
    """Return a problem with a key that the file which is read sets, at that key."""
    return _source_in(root).problem(kind.code, key, message, remedy).replace(severity=kind.severity)


def _source_in(root: str) -> "_Source":
    """Return the file that is read; an empty one where none can be."""
    try:
        own, project = (_bytes_of(root, name) for name in (FILE, PYPROJECT))
    except OSError:
        own, project = b"", None
    return _Source(PYPROJECT, project or b"", ("tool", "gatilho")) if own is None else _Source(FILE, own, ())


def _dotted(table: dict[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{before}{key}"
        found |= _dotted(value, f"{name}.") if isinstance(value, dict) and value else {name: value}
    return found


def configuration_in(own: bytes | None, project: bytes | None) -> tuple[Config, list[Problem]]:
    """Return the same from the bytes of `gatilho.toml` and `pyproject.toml`, None for a file that is not there."""
    # Other tools' tables are not checked, nor is a broken file that never names gatilho.
    shared = _Source(PYPROJECT, project, ("tool", "gatilho")) if project and b"gatilho" in project else None
    if own is None:
        return shared.configuration() if shared else (Config(), [])
    config, problems = _Source(FILE, own, ()).configuration()
    if shared and shared.table():
        problems.append(
            shared.problem(TWO_FILES, (), f"{FILE} exists too and is used instead; this table is not read", "Keep one.")
        )
    return config, problems


def _bytes_of(root: str, name: str) -> bytes | None:
    path = os.path.join(root, name)
    # What is wrong in the file is printed with its line, and a clone may link it to any file of this machine.
    if os.path.islink(path) and os.path.isfile(path) and is_outside(root, path):
        if name == PYPROJECT:
            return None  # the affair of other tools
        raise OSError(1, "it is a link that leads out of the repository", path)
    try:
        return bounded.read(path, _LARGEST)
    except FileNotFoundError:
        return None


class _Source:
    """One TOML file: its text, the table in it that is ours, and the problems found so far."""

    def __init__(self, name: str, data: bytes, prefix: Key) -> None:
        self.name = name
        self.prefix = prefix
        self.problems: list[Problem] = []
        self._named: dict[str, Callable[[dict[str, Any]], Any]] = {
            "sources": self._sources, "tools": self._tools, "packs": self._packs, "hosts": self._hosts,
            "kinds": self._kinds,
        }  # fmt: skip
        try:
            self.text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.text = ""
            message = "the file is not UTF-8"
            self.problems.append(Problem(SYNTAX, "error", Place(name, 1), message, "Save it as UTF-8."))

    def table(self) -> dict[str, Any]:
        """Return gatilho's table, empty where there is none or the file is not TOML (which is noted)."""
        try:
            found: Any = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            self.problems.append(self._syntax(str(error)))
            return {}
        for part in self.prefix:
            found = found.get(part, {}) if isinstance(found, dict) else {}
        return found if isinstance(found, dict) else {}

    def configuration(self) -> tuple[Config, list[Problem]]:
        table = self.table()
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key in _SECTIONS:
                self._section(key, value, values)
            elif self._known((key,), _TOP) and self._fits((key,), value, _TOP[key]):
                values[key] = tuple(value) if isinstance(value, list) else value
        return Config(**values), self.problems

    def problem(self, code: str, key: Key, message: str, remedy: str = "") -> Problem:
        line, column, text = _place_of(self.text, self.prefix + key)
        width = len(key[-1]) if key else 1
        return Problem(code, "error", Place(self.name, line, column), message, remedy, text, width)

    def _note(self, key: Key, message: str, remedy: str, code: str = WRONG_VALUE) -> None:
        self.problems.append(self.problem(code, key, message, remedy))

    def _section(self, name: str, value: Any, values: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            self._wrong((name,), value, f"a table, [{name}]")
        elif name in _FIXED:
            kind, checks = _FIXED[name]
            values[name] = kind(**self._fitting((name,), value, checks))
        else:
            values[name] = self._named[name](value)

    def _sources(self, table: dict[str, Any]) -> dict[str, str]:
        return {
            file: entry["lifecycle"]
            for file, entry in table.items()
            if self._entry(("sources", file), entry, _SOURCE) and "lifecycle" in entry
        }

    def _tools(self, table: dict[str, Any]) -> dict[str, tuple[str, tuple[str, ...]]]:
        found = {}
        wanted = " or ".join(f'"{word}"' for word in DOES)
        for name, entry in table.items():
            key = ("tools", name)
            if self._entry(key, entry, _TOOL) and self._has(
                key, entry, ("does",), "nothing is known of it", f"Add `does = ` {wanted}."
            ):
                found[name] = (entry["does"], tuple(entry.get("paths", ())))
        return found

    def _packs(self, table: dict[str, Any]) -> tuple[tuple[str, str, str], ...]:
        found = []
        name_it = "Name the repository with `git`, and the commit with `rev`."
        for name, entry in table.items():
            key = ("packs", name)
            if not _PACK_NAME.fullmatch(name):
                self._note(key, f"`packs.{name}` must be a name of letters, digits, `-` and `_`", _UNTIL)
            elif self._entry(key, entry, _PACK) and self._has(key, entry, _PACK, "none of its rows speak", name_it):
                found.append((name, entry["git"], entry["rev"]))
        return tuple(found)

    def _hosts(self, table: dict[str, Any]) -> dict[str, dict[str, object]]:
        found = {}
        for name, entry in table.items():
            key = ("hosts", name)
            if not isinstance(entry, dict):
                self._wrong(key, entry, "a table")
            elif is_built_in(name):
                message = f"gatilho has a record of {host_named(name).title} already, so this description is not used"
                self._note(
                    key, message, f"Take out `[hosts.{name}]`; what one tool does can be said in `[tools.NAME]`."
                )
            else:
                kept = self._host(key, entry)
                if kept:
                    found[name] = kept
        return found

    def _host(self, key: Key, entry: dict[str, Any]) -> dict[str, object]:
        """Return what fits of a host's description, nothing where its events cannot be read."""
        kept = self._fitting(key, entry, _HOST)
        given = {name: value for name, value in entry.items() if value}
        remedy = "Name the field with the event, and what each event is: `gatilho config --schema` has the form."
        if not self._has(key, given, _OF_EVERY_HOST, "none of its events can be read", remedy):
            return {}
        if not all(kept.get(name) for name in _OF_EVERY_HOST):  # it does not fit, which was noted
            return {}
        return {**kept, "answer": self._apart((*key, "answer"), kept.get("answer", {}))}

    def _apart(self, key: Key, answer: dict[str, str]) -> dict[str, str]:
        """Return the places of an answer's parts without those where another part is, or is to lie below."""
        kept: dict[str, str] = {}
        for part in ("decision", "reason", "context", "person"):
            if part not in answer:
                continue
            path = answer[part]
            other = next((one for one in kept if _is_around(kept[one], path) or _is_around(path, kept[one])), "")
            if other:
                message = f"`{path}` cannot hold both `{other}` and `{part}`, so `{part}` is left out"
                self._note((*key, part), message, "Give each a field of its own.")
            else:
                kept[part] = path
        return {part: path for part, path in answer.items() if part in kept or part in ("ask", "deny")}

    def _kinds(self, table: dict[str, Any]) -> dict[str, tuple[int | None, int | None]]:
        found = dict(KINDS)
        for name, entry in table.items():
            if not self._entry(("kinds", name), entry, _KIND):
                continue
            name = KIND_ALIASES.get(name, name)
            known = KINDS.get(name)
            if known is None and len(entry) < len(_KIND):
                missing = next(key for key in _KIND if key not in entry)
                message = f"kind {name} has no {missing}: a kind needs both {' and '.join(_KIND)}"
                self._note(("kinds", name), message, f"Add `{missing} = DAYS`.", HALF_A_KIND)
                continue
            half_life, ttl = known or (0, 0)
            exempt = known == (None, None)
            found[name] = (
                (None, None) if exempt else (entry.get("half_life_days", half_life), entry.get("ttl_days", ttl))
            )
        return found

    def _has(self, key: Key, entry: dict[str, Any], names: Iterable[str], so: str, remedy: str) -> bool:
        """Return whether an entry has all of these keys; of the first that it lacks, what follows is noted."""
        missing = next((name for name in names if name not in entry), "")
        if missing:
            section, name = key
            self._note(key, f"{section.removesuffix('s')} {name} has no `{missing}`, so {so}", remedy)
        return not missing

    def _entry(self, key: Key, entry: Any, checks: "dict[str, Form]") -> bool:
        """Return whether a named sub-table has only known keys with fitting values; all that does not fit is noted."""
        if not isinstance(entry, dict):
            return self._wrong(key, entry, "a table")
        return bool(self._fitting(key, entry, checks) == entry)

    def _fitting(self, key: Key, table: dict[str, Any], checks: "dict[str, Form]") -> dict[str, Any]:
        """Return what in a table has a known key and a fitting value; all that does not fit is noted."""
        kept = {}
        for name, value in table.items():
            if not self._known((*key, name), checks):
                continue
            check = checks[name]
            if isinstance(check, EachForm) and isinstance(value, dict):
                kept[name] = self._fitting((*key, name), value, dict.fromkeys(check.names or value, check.each))
            elif self._fits((*key, name), value, check):
                kept[name] = value
        return kept

    def _known(self, key: Key, checks: "dict[str, Form]") -> bool:
        if key[-1] in checks:
            return True
        known = [*checks, *(_SECTIONS if len(key) == 1 else ())]
        remedy = suggestion(key[-1], known, f"Known here: {', '.join(known)}.", "`{}`")
        self._note(key, f"unknown key `{'.'.join(key)}`", remedy, UNKNOWN_KEY)
        return False

    def _fits(self, key: Key, value: Any, check: "Form") -> bool:
        wanted = check(value)
        words = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
        close = next((found for one in words if one not in check.words and (found := nearest(one, check.words))), "")
        return not wanted or self._wrong(key, value, wanted, f"Did you mean `{close}`? " if close else "")

    def _wrong(self, key: Key, value: Any, wanted: str, meant: str = "") -> bool:
        message = f"`{'.'.join(key)}` must be {wanted}, not {_in_words(value)}"
        self._note(key, message, f"{meant}{_UNTIL}")
        return False

    def _syntax(self, message: str) -> Problem:
        where = _WHERE.search(message)
        lines = _lines(self.text)
        line = min(int(where[1]), len(lines)) if where and where[1] else len(lines)
        column = int(where[2]) if where and where[2] else len(lines[line - 1]) + 1
        # The reader stops after the line feed of a line that says too little.
        while line > 1 and column == 1 and not lines[line - 1].strip():
            line -= 1
            column = len(lines[line - 1]) + 1
        text = lines[line - 1]
        said = _WHERE.sub("", message)
        return Problem(SYNTAX, "error", Place(self.name, line, column), f"this is not TOML: {said}", _UNTIL, text)


def _is_around(path: str, inner: str) -> bool:
    """Return whether a field is another one, or the other lies below it."""
    return f"{inner}.".startswith(f"{path}.")


def _in_words(value: Any) -> str:
    return shortened({True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value), 40)


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\n", text)


def _place_of(text: str, key: Key) -> tuple[int, int, str]:
    """Return line, column and text of the line where the key is.

    Of the nearest table around it where it has no line.
    """
    best, found = -1, (1, 1, "")
    table: Key = ()
    for number, line in enumerate(_lines(text), 1):
        match = _HEADER.match(line) or _ASSIGNMENT.match(line)
        if match is None:
            continue
        parts = tuple(part.strip("\"'") for part in re.findall(_PART, match[1]))
        if match.re is _HEADER:
            table = parts
        full = table if match.re is _HEADER else table + parts
        common = len(full) if key[: len(full)] == full else -1
        if common > best:
            best = common
            found = (number, line.rindex(re.findall(_PART, match[1])[-1], 0, match.end()) + 1, line)
    return found


class Form:
    """What a value must be: `wanted` says it in words, `schema` as a JSON schema; a call returns "" where it fits.

    words: those that fit, where only some do.
    """

    def __init__(
        self, wanted: str, fits: Callable[[Any], bool], schema: dict[str, Any], words: tuple[str, ...] = ()
    ) -> None:
        self.wanted = wanted
        self.fits = fits
        self.schema = schema
        self.words = words

    def __call__(self, value: Any) -> str:
        return "" if self.fits(value) else self.wanted


class EachForm(Form):
    """The form of a table whose values all have one form. names: its keys, none where any will do."""

    def __init__(self, wanted: str, each: Form, *names: str) -> None:
        known = {"properties": dict.fromkeys(names, each.schema), "additionalProperties": False}
        schema = known if names else {"additionalProperties": each.schema}
        super().__init__(wanted, lambda value: isinstance(value, dict), {"type": "object", **schema})
        self.each = each
        self.names = names


class Entries:
    """The form of the tables in a section whose names are free. required: the keys that each must have."""

    def __init__(self, keys: "dict[str, Form]", *required: str) -> None:
        self.keys = keys
        self.required = required


def _whole(least: int) -> Form:
    wanted = f"a whole number of {least} or more"
    fits = lambda value: type(value) is int and value >= least  # noqa: E731
    return Form(wanted, fits, {"type": "integer", "minimum": least})


def _one_of(*words: str) -> Form:
    return Form(" or ".join(f'"{word}"' for word in words), lambda value: value in words, {"enum": list(words)}, words)


def _some_of(*words: str) -> Form:
    wanted = f"a list of some of: {', '.join(words)}"
    schema = {"type": "array", "items": {"enum": list(words)}}
    return Form(wanted, lambda value: isinstance(value, list) and all(one in words for one in value), schema, words)


def _are_texts(value: Any) -> bool:
    # No path and no command has a NUL in it, and the system's functions raise for one.
    return isinstance(value, list) and all(isinstance(text, str) and "\0" not in text for text in value)


_text = Form("a text", lambda value: isinstance(value, str) and bool(value), {"type": "string", "minLength": 1})
_field = Form(
    "the name of a field, with dots between the names of those around it",
    lambda value: isinstance(value, str) and all(value.split(".")),
    {"type": "string", "pattern": r"^[^.]+(\.[^.]+)*$"},
)
_yes_or_no = Form("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
_commit = Form(
    "the full id of a commit",
    lambda value: isinstance(value, str) and bool(_COMMIT.fullmatch(value)),
    {"type": "string", "pattern": f"^{_COMMIT.pattern}$"},
)
_texts = Form("a list of texts", _are_texts, {"type": "array", "items": {"type": "string"}})


_TOP: "dict[str, Form]" = {
    "ask_after": _whole(1),
    "warn": _one_of("after", "before"),
    "rides_in": _one_of("table", "ledger"),
    "rule_rides": _one_of("table", "local"),
    "unattended": _one_of("deny", "record", "warn"),
    "budget": _whole(0),
    "briefing": _whole(0),
    "stores": _texts,
}
_FIXED: "dict[str, tuple[type, dict[str, Form]]]" = {
    "conditions": (
        Conditions,
        {"timeout": _whole(1), "sandbox": _one_of("if there", "required"), "recheck_weeks": _whole(0)},
    ),
    "corrections": (
        Corrections,
        {
            "threshold": _whole(1),
            "proposals_per_week": _whole(0),
            "correction_seconds": _whole(0),
            "approval_seconds": _whole(0),
        },
    ),
}
_SOURCE: "dict[str, Form]" = {"lifecycle": _one_of(*LIFECYCLES)}
_TOOL: "dict[str, Form]" = {"does": _one_of(*DOES), "paths": _texts}
_PACK: "dict[str, Form]" = {"git": _text, "rev": _commit}
_KIND: "dict[str, Form]" = {"half_life_days": _whole(1), "ttl_days": _whole(1)}
_EVENT_KINDS = (SESSION_START, PROMPT, BEFORE, AFTER, TURN_CLOSE, COMPACTION, SESSION_END)
_FIELDS = ("event", "session", "agent", "turn", "call", "cwd", "mode", "tool", "input", "prompt", "source", "failed")
_ANSWER_KEYS = ("context", "person", "decision", "reason", "ask", "deny")
_OF_EVERY_HOST = ("event", "events")
_HOST: "dict[str, Form]" = {
    "title": _text,
    "events": EachForm("a table of events", _one_of(*_EVENT_KINDS)),
    **dict.fromkeys(_FIELDS, _field),
    "tools": EachForm("a table of tools", _one_of(*DOES, "patches")),
    "paths": _texts,
    "commands": _texts,
    "answer": EachForm(f"a table of some of: {', '.join(_ANSWER_KEYS)}", _text, *_ANSWER_KEYS),
    "carries": _some_of(*_EVENT_KINDS),
    "by_status": _yes_or_no,
    "budget": _whole(1),
    "files": _texts,
}
_SECTIONS = (*_FIXED, "sources", "kinds", "tools", "hosts", "packs")
# The whole file: each key's form, tables by their keys, "*" for any name.
FORMS: "dict[str, Any]" = {
    **_TOP,
    **{name: forms for name, (_, forms) in _FIXED.items()},
    "sources": {"*": Entries(_SOURCE)},
    "kinds": {**dict.fromkeys((*KINDS, *KIND_ALIASES), _KIND), "*": Entries(_KIND, *_KIND)},
    "tools": {"*": Entries(_TOOL, "does")},
    "hosts": {"*": Entries(_HOST, *_OF_EVERY_HOST)},
    "packs": {"*": Entries(_PACK, *_PACK)},
}
