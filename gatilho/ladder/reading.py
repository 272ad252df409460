"""A tool call as one repository sees it, and the rows that it concerns."""

from gatilho.ladder.decide import Match
from gatilho.ladder.matching import command_subjects, find_matches, path_subjects
from gatilho.ladder.scene import Scene
from gatilho.model import Touch, Value


class Reading(Value):
    """A tool call in a repository: its command ("" for none), the simple commands in it, and its touches."""

    __slots__ = ("command", "simple", "touches")

    def __init__(self, command: str, simple: tuple[str, ...], touches: tuple[Touch, ...]) -> None:
        self.command = command
        self.simple = simple
        self.touches = touches

    def names(self, root: str) -> list[str]:
        """What it touches in the repository, by name, each once."""
        inside = [t.path.removeprefix(root + "/") for t in self.touches if t.path.startswith(root + "/")]
        return list(dict.fromkeys(inside))

    def about(self, root: str) -> str:
        """What was touched, for the first line of an answer: some names; of a command only that it was one."""
        names = self.names(root)
        if names:
            return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        return "this command" if self.command else "this call"

    def see(self, root: str) -> str:
        """The command that shows which rows the call concerns."""
        names = self.names(root)
        return f"gatilho why {names[0]}" if names else "gatilho why --command TEXT"


def matches_of(scene: Scene, reading: Reading) -> list[Match]:
    """The rows that the call concerns in order of files and lines."""
    subjects = path_subjects(reading.touches, scene.repository.root)
    if reading.command:
        subjects += command_subjects(reading.command, reading.simple)
    return find_matches(scene.index, subjects, scene.budget)
