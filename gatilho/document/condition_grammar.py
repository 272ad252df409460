"""Conditions as their author writes them: a verb and its operands in a code span each."""

from gatilho import verbs
from gatilho.document.ticks import in_code_span
from gatilho.model import STORE, Condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.verbs import Verb

NOT_UNDERSTOOD = ""  # the kind of a condition that cannot be checked, so that it never holds

_BLANKS = " \t"
# What a shell takes as it is, and what may end one command in a text.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-")
_BETWEEN_COMMANDS = frozenset(";|&\n")


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
    verb, path = verbs.verb_of(condition), condition.argument
    phrase = verb.glob_phrase if verb.takes_path and is_glob(path) else verb.phrase
    operand = in_code_span(condition.pattern) if verb.takes_regex else condition.pattern
    number = verb.limit_of(condition)
    limit = f"{number} match" if number == "1" else f"{number} matches"
    return phrase.format(
        path=path, operand=operand, limit=limit, command=in_code_span(path), text=in_code_span(condition.text)
    )


def placed(condition: Condition, subtree: str) -> Condition:
    """Return a condition of a nested store as the repository's root sees it: with its whole path, or a `cd` in front.

    So a person allows the very text that is run, which is another one in each folder.
    """
    verb, path = verbs.verb_of(condition), condition.argument
    if verb.takes_path:
        # A wildcard in the name of a folder is only a character.
        above = "".join(f"[{letter}]" if letter in "*?[{" else letter for letter in subtree)
        path = (above if is_glob(path) else subtree) + path
    elif verb.runs_command:
        folder = subtree.rstrip("/")
        if not _PLAIN.issuperset(folder):
            folder = "'" + folder.replace("'", "'\\''") + "'"
        is_one = _BETWEEN_COMMANDS.isdisjoint(path)
        path = f"cd {folder} && {path}" if is_one else f"cd {folder} || exit; {path}"
    return condition.replace(argument=path, subtree=subtree)


def is_glob(path: str) -> bool:
    """Return whether a path has wildcards: `*`, `?`, a `[class]`, or alternatives in braces (`*.{ts,tsx}`)."""
    if "*" in path or "?" in path:
        return True
    opened = path.find("[")
    if opened >= 0 and "]" in path[opened + 2 :]:
        return True
    brace = path.find("{")
    # Without a closing brace the slice is empty.
    return brace >= 0 and "," in path[brace : path.find("}", brace) + 1]


def _parse(span: str) -> Condition:
    word, rest = _first_word(span.lstrip(_BLANKS))
    verb = verbs.find_verb(word.lower())
    if verb is None:
        raise _Misspelt(_instead_of(word))
    if not rest:
        raise _Misspelt(f"something is missing: write `{verb.form}`")
    if not verb.takes_path:
        return Condition(verb.word, rest.strip(_BLANKS), "", span)
    ordered = verb.path_first(rest)
    if not ordered:
        raise _Misspelt(f"it is not complete: write `{verb.form}`")
    path, operand = _take_path(ordered, verb)
    return Condition(verb.word, path, operand, span, "")


def _first_word(text: str) -> tuple[str, str]:
    word = text.partition(" ")[0].partition("\t")[0]
    return word, text[len(word) :].lstrip(_BLANKS)


def _instead_of(word: str) -> str:
    bare = word.split(":", 1)[0].lower()
    meant = next((verb for verb in verbs.all_verbs() if bare == verb.word or bare in verb.also), None)
    if meant and ":" in word:
        return f"conditions are written with blanks, not with colons: write `{meant.form}`"
    if meant:
        return f"`{word}` is not a condition: write `{meant.form}`"
    return f"`{word}` is not a condition: write one of {forms()}" if word else f"it is empty: write one of {forms()}"


def forms() -> str:
    """Return the forms of all conditions, as a list in words."""
    return ", ".join(f"`{verb.form}`" for verb in verbs.all_verbs())


def _take_path(rest: str, verb: "Verb") -> tuple[str, str]:
    """Cut the path from what follows the verb; returns it normalised, and what comes after it ("" for nothing)."""
    spelled, end = _shell_word(rest)
    path = _inside_repository(spelled)
    operand = rest[end:].lstrip(_BLANKS)
    if len(verb.operands) == 1:
        if operand:
            raise _Misspelt(
                f"`{verb.word}` takes one path: quote a path with blanks, as in `{verb.word} 'my notes.txt'`"
            )
    elif not operand:
        raise _Misspelt(
            f"{'the pattern is empty' if verb.takes_regex else 'something is missing'}: write `{verb.form}`"
        )
    refused = verb.refuse(operand)
    if refused:
        raise _Misspelt(f"{refused}: write `{verb.form}`")
    return path, operand


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
    # `C:` and `C:/` are drives of Windows.
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
    # In small letters, for disks that take both spellings for the same file.
    lowered = f"/{path.lower()}/"
    if f"/{STORE}/" in lowered:
        raise _Misspelt(f"a condition does not look at {STORE}, where it would find its own text: name another file")
    if "/.git/" in lowered:
        raise _Misspelt("a condition does not look into .git: name a file of the work tree")
    return path
