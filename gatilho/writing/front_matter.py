"""The head of a rules file between lines of `---`, as Cursor, Claude Code and hookify write it.

Only that much of YAML is read; what else there is is left out, never guessed.
"""

from gatilho.model import Value


class Rules(Value):
    """A rules file: its head, and the text after it with the number of its first line (from 1).

    conditions: the items of a list of maps under `conditions`, each a dict.
    """

    head: dict[str, str | list[str]]
    conditions: list[dict[str, str]]
    body: str
    first_line: int

    def text(self, key: str) -> str:
        """Return a text of the head, "" where it is a list or is not there."""
        value = self.head.get(key, "")
        return value if isinstance(value, str) else ""

    def texts(self, key: str) -> list[str]:
        """Return a list of the head; a text is cut at its commas outside of braces."""
        value = self.head.get(key, [])
        return cut_at_commas(value) if isinstance(value, str) else value


def read_rules(text: str) -> Rules:
    """Return the head and the body of a rules file; without a head everything is the body."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].strip() != "---" or "---" not in [line.strip() for line in lines[1:]]:
        return Rules({}, [], text, 1)
    end = next(number for number, line in enumerate(lines[1:], 1) if line.strip() == "---")
    head, conditions = _read_head(lines[1:end])
    return Rules(head, conditions, "\n".join(lines[end + 1 :]), end + 2)


def cut_at_commas(text: str) -> list[str]:
    """Return the parts of a list on one line; commas in braces, as in `*.{ts,tsx}`, belong to their part."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in map(_unquoted, parts) if part]


def _read_head(lines: list[str]) -> tuple[dict[str, str | list[str]], list[dict[str, str]]]:
    head: dict[str, str | list[str]] = {}
    conditions: list[dict[str, str]] = []
    key = ""
    for line in lines:
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        if line[:1] not in (" ", "\t", "-"):
            key, _, value = (part.strip() for part in body.partition(":"))
            head[key] = _unquoted(value)
        elif key == "conditions":
            _add_condition(conditions, body)
        elif body.startswith("-"):
            listed = head.get(key)
            head[key] = [*(listed if isinstance(listed, list) else []), _unquoted(body[1:].strip())]
    return head, conditions


def _add_condition(conditions: list[dict[str, str]], body: str) -> None:
    if body.startswith("-"):
        conditions.append({})
        body = body[1:].strip()
    name, colon, value = (part.strip() for part in body.partition(":"))
    if colon and conditions:
        conditions[-1][name] = _unquoted(value)


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "'\"":
        return text
    inner = text[1:-1]
    # Between double quotes a backslash is written twice; one before another letter is a regular expression's own.
    return inner.replace("\\\\", "\\").replace('\\"', '"') if text[0] == '"' else inner.replace("''", "'")
