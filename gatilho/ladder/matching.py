"""Which rows an event concerns: the index's candidates, decided without the engine where the pattern is plain text."""

from gatilho.index.index import Candidate, Index, IndexedRow
from gatilho.ladder.decide import Match
from gatilho.model import Touch, Value
from gatilho.triggers import paths
from gatilho.triggers.budget import Budget
from gatilho.triggers.literals import holds, lower_ascii

A_COMMAND = "a command"
# Seconds for all searches of one hook: a runaway pattern costs this once, not once a row.
SEARCH_SECONDS = 0.5


class Subject(Value):
    """What a trigger is matched against: its field, the text, the kind of touch, and the absolute path of a file.

    folders: of what is no path, the folders of the repository that it comes from, each with a slash at the end.
    """

    field: str
    text: str
    kind: str = ""
    path: str = ""
    folders: tuple[str, ...] = ()

    def seen_below(self, subtree: str) -> str | None:
        """Return the text as the rows of a nested store see it, None where it is not theirs."""
        if self.field != "path":
            return self.text if any(folder.startswith(subtree) for folder in self.folders) else None
        return self.text[len(subtree) :] or None if self.text.startswith(subtree) else None


def path_subjects(touches: "tuple[Touch, ...] | list[Touch]", root: str) -> list[Subject]:
    """Return the names by which the repository's triggers see the touched paths; nothing for a path outside it."""
    return [
        Subject("path", name, touch.kind, touch.path) for touch in touches for name in paths.names_in(touch.path, root)
    ]


def command_subjects(
    command: str,
    simple: "tuple[str, ...]",
    folders: "tuple[tuple[str, ...], ...]" = (),
    cwd: str = "",
    root: str = "",
) -> list[Subject]:
    """Return the text of a shell command without what no shell runs, and each simple command in it.

    folders: the absolute ones that each of the simple commands runs in. cwd: the folder of the whole command.
    """
    places = dict(zip((command, *simple), ((cwd,) if cwd else (), *folders)))
    found: dict[str, dict[str, None]] = {}
    for text in (command, *simple):
        names = (name for place in places.get(text, ()) for name in names_of_folder(place, root))
        found.setdefault(paths.normalise(text), {}).update(dict.fromkeys(names))
    return [Subject("cmd", text, folders=tuple(names)) for text, names in found.items() if text]


def prompt_subjects(prompt: str, folders: "tuple[str, ...]" = ()) -> list[Subject]:
    """Return the text of a prompt. folders: the session's own, by their names in the repository."""
    return [Subject("prompt", paths.normalise(prompt), folders=folders)] if prompt else []


def start_subjects(folders: "tuple[str, ...]" = ()) -> list[Subject]:
    """Return what `start` rows wait for. folders: the session's own, by their names in the repository."""
    return [Subject("start", "", folders=folders)]


def names_of_folder(folder: str, root: str) -> "tuple[str, ...]":
    """Return the names of an absolute folder in the repository, each with a slash at the end; none for its root."""
    return tuple(f"{name}/" for name in paths.names_in(folder, root))


def find_matches(index: Index, subjects: list[Subject], budget: Budget) -> list[Match]:
    """Return the rows that one of the subjects makes speak, in order of files and lines, each with what it matched."""
    hits: dict[int, list[Subject]] = {}
    for field in ("path", "cmd", "prompt", "start"):
        mine = [subject for subject in subjects if subject.field == field]
        if mine:
            search_candidates(index.candidates(field, [subject.text for subject in mine]), mine, hits, budget)
    return [_match(index, found, hits[number]) for number, found in index.numbered_rows(sorted(hits))]


def search_candidates(
    candidates: list[Candidate], subjects: list[Subject], hits: dict[int, list[Subject]], budget: Budget
) -> None:
    """Add the subjects that each candidate matches to the hits of its row."""
    undecided: list[tuple[Candidate, Subject, str]] = []
    for candidate in candidates:
        for subject in subjects:
            if candidate.kind in ("write", "read") and candidate.kind != subject.kind:
                continue
            text = subject.seen_below(candidate.subtree) if candidate.subtree else subject.text
            if text is None:
                continue
            if candidate.plain or candidate.kind == "start":
                if _holds(candidate, text):
                    hits.setdefault(candidate.row, []).append(subject)
            elif candidate.needle in (lower_ascii(text) if candidate.folded else text):
                undecided.append((candidate, subject, text))
    if undecided:
        from gatilho.triggers.patterns import search_each

        answers = search_each([(candidate.pattern, text) for candidate, _, text in undecided], budget)
        for (candidate, subject, _), found in zip(undecided, answers):
            if found:
                hits.setdefault(candidate.row, []).append(subject)


def _holds(candidate: Candidate, text: str) -> bool:
    """Decide without the engine what is plain text with anchors."""
    if candidate.kind == "start":
        return True
    return holds(candidate.plain, candidate.needle, lower_ascii(text) if candidate.folded else text)


def _match(index: Index, found: IndexedRow, subjects: list[Subject]) -> Match:
    names = tuple(dict.fromkeys(subject.text for subject in subjects))
    written = next((subject.text for subject in subjects if subject.kind == "write"), "")
    if not written and any(subject.field == "cmd" for subject in subjects):
        written = A_COMMAND
    count = index.count(found.row)
    files = tuple(dict.fromkeys(subject.path for subject in subjects if subject.path))
    return Match(found.row, count, names, written, files, found.path, found.header, found.file_number)
