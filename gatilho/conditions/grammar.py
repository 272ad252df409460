"""Conditions as their author writes them: `exists`, `missing`, `contains`, `lacks` or `passes` in a code span each."""

from gatilho.model import Condition

FORMS = {
    "exists": "exists PATH",
    "missing": "missing PATH",
    "contains": "contains PATH REGEX",
    "lacks": "lacks PATH REGEX",
    "passes": "passes COMMAND",
}
FILE_KINDS = ("exists", "missing", "contains", "lacks")
NOT_UNDERSTOOD = ""  # the kind of a condition that no one can check, so that it never holds
STORE = "docs/gatilhos"

_BLANKS = " \t"
_NEAREST = {
    "exist": "exists",
    "present": "exists",
    "absent": "missing",
    "removed": "missing",
    "contain": "contains",
    "has": "contains",
    "matches": "contains",
    "lack": "lacks",
    "without": "lacks",
    "cmd": "passes",
    "command": "passes",
    "pass": "passes",
    "run": "passes",
    "existe": "exists",
    "falta": "missing",
    "contém": "contains",
    "contem": "contains",
    "passa": "passes",
}


class _Misspelt(Exception):
    """A condition that cannot be understood; the text says what to write instead."""


def parse_conditions(spans: list[str]) -> tuple[tuple[Condition, ...], list[str]]:
    """Read the code spans of a `paid when` or `holds while` cell.

    Returns one condition for each span, in order, and a message for each span that cannot be understood. Such a span is
    among the conditions too, with the kind NOT_UNDERSTOOD: it never holds, so a misspelt half cannot make a debt paid.
    """
    conditions = []
    messages = []
    for span in spans:
        try:
            conditions.append(_parse(span))
        except _Misspelt as problem:
            conditions.append(Condition(NOT_UNDERSTOOD, span, "", span))
            messages.append(f"`{span}`: {problem}")
    return tuple(conditions), messages


def in_words(condition: Condition) -> str:
    """Say a condition in words, such as "tests/test_retry.py contains `\\bfrozen_clock\\b`"."""
    kind, path = condition.kind, condition.argument
    if kind == "passes":
        return f"{_as_code(path)} passes"
    if kind not in FORMS:
        return f"{_as_code(condition.text)}, which is not a condition"
    if is_glob(path):
        subject = {"missing": f"no {path}", "lacks": f"every {path}"}.get(kind, f"any {path}")
        verb = "exists" if kind == "missing" else kind
    else:
        subject = path
        verb = "is missing" if kind == "missing" else kind
    return f"{subject} {verb} {_as_code(condition.pattern)}" if condition.pattern else f"{subject} {verb}"


def is_glob(path: str) -> bool:
    """Return whether a path has wildcards: `*`, `?`, a `[class]`, or alternatives in braces (`*.{ts,tsx}`)."""
    if "*" in path or "?" in path:
        return True
    opened = path.find("[")
    if opened >= 0 and "]" in path[opened + 2 :]:
        return True
    brace = path.find("{")
    return brace >= 0 and "," in path[brace : path.find("}", brace) + 1]


def _parse(span: str) -> Condition:
    word, rest = _first_word(span.lstrip(_BLANKS))
    kind = word.lower()
    if kind not in FORMS:
        raise _Misspelt(_instead_of(word))
    if not rest:
        raise _Misspelt(f"something is missing: write `{FORMS[kind]}`")
    if kind == "passes":
        return Condition(kind, rest.strip(_BLANKS), "", span)
    path, pattern = _take_path(rest, kind)
    return Condition(kind, path, pattern, span)


def _first_word(text: str) -> tuple[str, str]:
    end = 0
    while end < len(text) and text[end] not in _BLANKS:
        end += 1
    return text[:end], text[end:].lstrip(_BLANKS)


def _instead_of(word: str) -> str:
    bare = word.split(":", 1)[0].lower()
    kind = bare if bare in FORMS else _NEAREST.get(bare, "")
    if kind and ":" in word:
        return f"conditions are written with blanks, not with colons: write `{FORMS[kind]}`"
    if kind:
        return f"`{word}` is not a condition: write `{FORMS[kind]}`"
    forms = ", ".join(f"`{form}`" for form in FORMS.values())
    return f"`{word}` is not a condition: write one of {forms}" if word else f"it is empty: write one of {forms}"


def _take_path(rest: str, kind: str) -> tuple[str, str]:
    """Cut the path from what follows the condition's word; returns it normalised, and the pattern ("" for none)."""
    spelled, end = _shell_word(rest)
    path = _inside_repository(spelled)
    pattern = rest[end:].lstrip(_BLANKS)
    if kind in ("exists", "missing"):
        if pattern:
            raise _Misspelt(f"`{kind}` takes one path: quote a path with blanks, as in `{kind} 'my notes.txt'`")
    elif not pattern:
        raise _Misspelt(f"the pattern is empty: write `{FORMS[kind]}`")
    return path, pattern


def _shell_word(text: str) -> tuple[str, int]:
    """Read one word as a shell quotes it; returns it without the quotes, and where it ends.

    A backslash before a wildcard keeps that character from being one: `\\*` becomes the class `[*]`.
    """
    plain = text.replace("\t", " ").partition(" ")[0]
    if "'" not in plain and '"' not in plain and "\\" not in plain:
        return plain, len(plain)
    word = []
    quote = ""
    at = 0
    while at < len(text) and (quote or text[at] not in _BLANKS):
        character = text[at]
        at += 1
        if character == quote:
            quote = ""
        elif character in "'\"" and not quote:
            quote = character
        elif character == "\\" and quote != "'":
            word.append(_escaped(text[at : at + 1]))
            at += 1
        else:
            word.append(character)
    if quote:
        raise _Misspelt(
            f"the quote {quote} is not closed: end the path with it, or write {chr(92)}{quote} for the character"
        )
    return "".join(word), at


def _escaped(character: str) -> str:
    if character in ("*", "?", "["):
        return f"[{character}]"
    if character and character in " \t'\"\\":
        return character
    raise _Misspelt("a backslash does not part directories here: write / between the parts of a path")


def _inside_repository(spelled: str) -> str:
    """Normalise a path that is relative to the root; raises _Misspelt for others and for what is never looked at."""
    if "\0" in spelled:
        raise _Misspelt("a path cannot hold a NUL character")
    if spelled.startswith(("/", "~/")) or spelled == "~" or spelled[1:3] in (":/", ":"):
        raise _Misspelt("the path is absolute: write it as seen from the root of the repository, such as `src/a.py`")
    parts: list[str] = []
    for part in spelled.split("/"):
        if part == "..":
            if not parts:
                raise _Misspelt("the path leaves the repository: a condition looks at files of its own repository only")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts:
        raise _Misspelt("the path names no file: write it as seen from the root of the repository, such as `src/a.py`")
    path = "/".join(parts)
    if (path.lower() + "/").startswith(STORE + "/"):
        raise _Misspelt(f"a condition does not look at {STORE}, where it would find its own text: name another file")
    if ".git" in path.lower().split("/"):
        raise _Misspelt("a condition does not look into .git: name a file of the work tree")
    return path


def _as_code(text: str) -> str:
    if "`" not in text:
        return f"`{text}`"
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}"
