"""What was changed on the command line since a hook last looked: a command of an agent may have typed it.

The command line cannot know who starts it, for a script can take a host's marks out of the environment; a hook knows
whether a command of the agent was running.
"""

import os

from gatilho import bounded, files
from gatilho.git.root import Repository

_LARGEST = 64 * 1024
_TERMINAL, _NONE = "terminal", "no terminal"


def note_typed(repository: Repository, row_id: str, what: str, has_terminal: bool) -> None:
    """Note what became of a row; a git directory that cannot be written is done without."""
    where = _TERMINAL if has_terminal else _NONE
    line = "\t".join((where, what, row_id.replace("\t", " ").replace("\n", " "))) + "\n"
    try:
        os.makedirs(repository.own_state, exist_ok=True)
        files.append_bytes(repository.typed_mark, line.encode("utf-8", "backslashreplace"))
    except OSError:
        pass


def take_typed(repository: Repository) -> list[tuple[str, str, bool]]:
    """Return what was noted as (id, what, whether a terminal was there), and forget it."""
    try:
        lines = bounded.head(repository.typed_mark, _LARGEST).decode("utf-8", "replace").splitlines()
        os.unlink(repository.typed_mark)
    except OSError:
        return []
    parted = [line.split("\t") for line in lines]
    return [(one[2], one[1], one[0] == _TERMINAL) for one in parted if len(one) == 3]
