"""A tool call as one repository sees it, and the rows that it concerns."""

from gatilho.ladder.decide import Match
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.matching import command_subjects, find_matches, path_subjects
from gatilho.model import Touch, Value

# Programs that shut a folder with all that is in it.
SHUTTING = frozenset(("chmod", "chown", "chgrp", "chattr", "setfacl", "setfattr", "mount", "mv"))


class RepositoryCall(Value):
    """A tool call in a repository: its command ("" for none), the simple commands in it, and its touches.

    line: the whole command without what no shell runs. calls: the arguments of each simple command as the program gets
    them. cwd: the absolute folder that it runs in. shell: the language of the command. folders: the absolute ones that
    each of the simple commands runs in.
    """

    command: str
    line: str
    simple: tuple[str, ...]
    touches: tuple[Touch, ...]
    calls: tuple[tuple[str, ...], ...] = ()
    cwd: str = ""
    shell: str = "sh"
    folders: tuple[tuple[str, ...], ...] = ()


def matches_of(context: EventContext, reading: RepositoryCall) -> list[Match]:
    """Return the rows that the call concerns in order of files and lines."""
    subjects = path_subjects(reading.touches, context.repository.root)
    if reading.command:
        root = context.repository.root
        subjects += command_subjects(reading.line, reading.simple, reading.folders, reading.cwd or root, root)
    return find_matches(context.index, subjects, context.budget)


def files_of_matches(matches: list[Match], root: str) -> list[str]:
    """Return the files through which rows speak, by their names in the repository, each once."""
    return list(dict.fromkeys(path.removeprefix(root + "/") for match in matches for path in match.files))


def what_was_touched(matches: list[Match], root: str) -> str:
    """Return what was touched, for the first line of an answer: some names; of a command only that it was one."""
    names = files_of_matches(matches, root)
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "") if names else "this command"
