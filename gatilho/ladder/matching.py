"""Which rows an event concerns: the index's candidates, decided without the engine where the pattern is plain text."""

from gatilho.ladder.decide import Match
from gatilho.model import Touch, Value
from gatilho.store.index import Candidate, Index
from gatilho.triggers import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.triggers.patterns import Budget

A_COMMAND = "a command"
# Seconds for all searches of one hook: a runaway pattern costs this once, not once a row.
SEARCH_SECONDS = 0.5


class Subject(Value):
    """What a trigger is matched against: its field, the text, the kind of touch, and the absolute path of a file."""

    __slots__ = ("field", "text", "kind", "path")

    def __init__(self, field: str, text: str, kind: str = "", path: str = "") -> None:
        self.field = field
        self.text = text
        self.kind = kind
        self.path = path


def path_subjects(touches: "tuple[Touch, ...] | list[Touch]", root: str) -> list[Subject]:
    """The names by which the repository's triggers see the touched paths; nothing for a path outside it."""
    return [
        Subject("path", name, touch.kind, touch.path) for touch in touches for name in paths.names_in(touch.path, root)
    ]


def command_subjects(command: str, simple: "tuple[str, ...]") -> list[Subject]:
    """The text of a shell command as given, and each simple command in it."""
    from gatilho.triggers.patterns import normalise

    texts = dict.fromkeys(normalise(text) for text in (command, *simple))
    return [Subject("cmd", text) for text in texts if text]


def prompt_subjects(prompt: str) -> list[Subject]:
    """The text of a prompt."""
    from gatilho.triggers.patterns import normalise

    return [Subject("prompt", normalise(prompt))] if prompt else []


def start_subjects() -> list[Subject]:
    """What `start` rows wait for."""
    return [Subject("start", "")]


def find_matches(index: Index, subjects: list[Subject], budget: "Budget") -> list[Match]:
    """The rows that one of the subjects makes speak, in order of files and lines, each with what it matched."""
    hits: dict[int, list[Subject]] = {}
    for field in ("path", "cmd", "prompt", "start"):
        mine = [subject for subject in subjects if subject.field == field]
        if mine:
            _search(index.candidates(field, [subject.text for subject in mine]), mine, hits, budget)
    return [_match(index, found, hits[number]) for number, found in index.numbered_rows(sorted(hits))]


def _search(
    candidates: list[Candidate], subjects: list[Subject], hits: dict[int, list[Subject]], budget: "Budget"
) -> None:
    # Plain text first: what runs out of time must not take with it what could be decided without the engine.
    for candidate in sorted(candidates, key=lambda candidate: (not candidate.plain, candidate.row)):
        for subject in subjects:
            if _kind_fits(candidate.kind, subject.kind) and _matches(candidate, subject.text, budget):
                hits.setdefault(candidate.row, []).append(subject)


def _kind_fits(trigger: str, touch: str) -> bool:
    return trigger not in ("write", "read") or trigger == touch


def _matches(candidate: Candidate, text: str, budget: "Budget") -> bool:
    if candidate.kind == "start":
        return True
    if candidate.plain:
        return plain_match(candidate.plain, candidate.needle, text.lower() if candidate.folded else text)
    from gatilho.triggers.patterns import search

    return search(candidate.pattern, text, budget)


def plain_match(plain: str, needle: str, text: str) -> bool:
    """Whether a pattern that is plain text with anchors is found; `$` also stands before one final line feed."""
    if plain == "has":
        return needle in text
    if plain == "starts":
        return text.startswith(needle)
    if text.endswith("\n") and not needle.endswith("\n"):
        text = text[:-1]
    return text == needle if plain == "is" else text.endswith(needle)


def _match(index: Index, found, subjects: list[Subject]) -> Match:  # type: ignore[no-untyped-def]
    names = tuple(dict.fromkeys(subject.text for subject in subjects))
    written = next((subject.text for subject in subjects if subject.kind == "write"), "")
    if not written and any(subject.field == "cmd" for subject in subjects):
        written = A_COMMAND
    count = index.standing(found.row).count
    files = tuple(dict.fromkeys(subject.path for subject in subjects if subject.path))
    return Match(found.row, count, names, written, files, found.path, found.header)
