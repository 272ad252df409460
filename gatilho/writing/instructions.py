"""Rules from files that agents read: AGENTS.md and CLAUDE.md, `.claude/rules`, `.cursor/rules`, hookify's rules."""

from collections.abc import Iterator

from gatilho.checks.notes import LONGEST_NOTE
from gatilho.document.draft import Draft
from gatilho.writing.found import Found, glob_triggers, items_of, note_of, path_trigger, regex_trigger, spans_of
from gatilho.writing.front_matter import Rules, read_rules

# A rules file with more items than this would speak for the length of a whole answer: one row points to it instead.
_MOST_ITEMS = 8
# Tools whose patterns are about the command, and those about the person's prompt.
_HOOKIFY_KINDS = {"bash": "cmd", "prompt": "prompt"}
_FIELDS = {"command": "cmd", "file_path": "write", "user_prompt": "prompt"}


def import_instructions(name: str, text: str, tracked: frozenset[str], with_start: bool) -> Iterator[Found]:
    """Yield a rule for each list item that names files, or that is in a folder's own file.

    with_start: those that name none, too, said at the start of a session. What always loads needs no trigger, so they
    are usually better where they are.
    """
    folder = name.rpartition("/")[0]
    for line, item in items_of(text):
        triggers = tuple(map(path_trigger, _named_paths(item, tracked, folder)))
        if not triggers and folder and not folder.startswith("."):
            triggers = (path_trigger(f"{folder}/"),)
        if triggers or with_start:
            yield _rule(item, triggers or ("start",), f"{name}:{line}")


def import_rules_file(name: str, text: str) -> Iterator[Found]:
    """Yield the rules of a file whose head says by `globs` or `paths` what it is about."""
    rules = read_rules(text)
    globs = rules.texts("globs") or rules.texts("paths")
    triggers = glob_triggers(globs)
    if not triggers and rules.text("alwaysApply").lower() == "true":
        triggers = ("start",)
    if not triggers:
        return
    whole = note_of(" ".join(line for line in rules.body.split("\n") if not line.startswith("#")))
    items = items_of(rules.body, rules.first_line)
    if 0 < len(items) <= _MOST_ITEMS:
        for line, item in items:
            yield _rule(item, triggers, f"{name}:{line}")
    elif whole and len(whole) < LONGEST_NOTE and not items:
        yield _rule(whole, triggers, f"{name}:{rules.first_line}")
    else:
        about = rules.text("description") or _title(rules) or "the rules for these files"
        yield _rule(f"Read {name} first: {about}", triggers, f"{name}:1")


def import_hookify(name: str, text: str) -> Iterator[Found]:
    """Yield the rule of a hookify file, where its pattern is about a command, a path or a prompt."""
    rules = read_rules(text)
    triggers = _hookify_triggers(rules)
    if not triggers or rules.text("enabled").lower() == "false":
        return
    body = " ".join(line for line in rules.body.split("\n") if not line.startswith("#"))
    yield _rule(body.strip() or rules.text("name") or name, triggers, f"{name}:{rules.first_line}")


def _hookify_triggers(rules: Rules) -> tuple[str, ...]:
    """Return the triggers of a rule; none where it looks at written text, at a stop, or at two things together."""
    if rules.conditions:
        found = [_of_condition(one) for one in rules.conditions]
        return (found[0],) if len(found) == 1 and found[0] else ()
    kind = _HOOKIFY_KINDS.get(rules.text("event"), "")
    pattern = rules.text("pattern")
    return (regex_trigger(kind, pattern),) if kind and pattern else ()


def _of_condition(condition: dict[str, str]) -> str:
    kind, pattern = _FIELDS.get(condition.get("field", ""), ""), condition.get("pattern", "")
    if not kind or not pattern or condition.get("operator", "regex_match") != "regex_match":
        return ""
    return regex_trigger(kind, pattern)


def _title(rules: Rules) -> str:
    return next((line.lstrip("# ").strip() for line in rules.body.split("\n") if line.startswith("#")), "")


def _rule(text: str, triggers: tuple[str, ...], source: str) -> Found:
    return Found(Draft(triggers=triggers, note=note_of(text), kind="convention"), source, state="rule")


def _named_paths(item: str, tracked: frozenset[str], folder: str) -> list[str]:
    """Return the tracked files and folders that an item names in backticks, as seen from its file or from the root."""
    found: dict[str, None] = {}
    for span in spans_of(item):
        path = span.removeprefix("./").rstrip("/")
        for candidate in (f"{folder}/{path}" if folder else path, path):
            if candidate in tracked:
                found[candidate] = None
                break
            if "/" in span and f"{candidate}/" in tracked:
                found[f"{candidate}/"] = None
                break
    return list(found)
