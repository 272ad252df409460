"""Runs of backticks: where a code span ends, and what is in it."""


def run_length(text: str, position: int) -> int:
    """Count how often the character at that place follows itself."""
    character, end = text[position], position
    while end < len(text) and text[end] == character:
        end += 1
    return end - position


class TickRuns:
    """The runs of backticks in a text by their length, found once and asked for from left to right."""

    def __init__(self, text: str) -> None:
        self._places: dict[int, list[int]] = {}
        position = text.find("`")
        while position >= 0:
            run = run_length(text, position)
            self._places.setdefault(run, []).append(position)
            position = text.find("`", position + run)
        for places in self._places.values():
            places.reverse()

    def closing(self, position: int, run: int) -> int:
        """Return the next run of exactly that length from that place on; -1 if there is none."""
        places = self._places.get(run, [])
        while places and places[-1] < position:
            places.pop()
        return places[-1] if places else -1


def in_code_span(text: str) -> str:
    """Return a code span of Markdown that shows a text of one line, backticks and outer blanks included."""
    fence = "`"
    while fence in text:
        fence += "`"
    blank = " " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def code_content(inner: str) -> str:
    """Take one blank off both ends, unless the span is nothing but blanks."""
    if len(inner) > 1 and inner[0] == inner[-1] == " " and inner.strip(" "):
        return inner[1:-1]
    return inner
