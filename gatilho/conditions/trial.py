"""One run of a command as a turn's end makes it, with all that a person may want to see of it."""

import os

from gatilho.conditions import commands, lastrun, sandbox
from gatilho.config import Conditions
from gatilho.git.root import Repository
from gatilho.model import Value

_LINES = 200
_IN_WORDS = {
    sandbox.OVERLAY: "bubblewrap; what it writes is thrown away, no network",
    sandbox.MOUNTED: "bubblewrap; what it writes is thrown away, no network",
    sandbox.READ_ONLY: "bubblewrap; the repository is read-only, no network",
    sandbox.UNSHARED: "no network; it can write wherever you can",
    sandbox.NONE: "none; it can do whatever you can",
}


class Trial(Value):
    """A command that is about to be run once. box: its sandbox; config: its time limit, and what sandbox it needs."""

    repository: Repository
    text: str
    config: Conditions
    box: sandbox.Sandbox

    def surroundings(self) -> list[str]:
        """Return what the command will find: its sandbox, its folder, its time limit and its variables."""
        because = f" ({self.box.reason})" if self.box.reason else ""
        given = commands.command_environment(offline=not self.box.has_network)
        return [
            f"sandbox: {_IN_WORDS[self.box.kind]}{because}",
            f"folder: {os.path.realpath(self.repository.root)}; time limit: {self.config.timeout} s",
            f"variables: {', '.join(sorted(given))}",
        ]

    def run(self) -> "tuple[bool, list[str]]":
        """Run it; return whether it passes, and its output, what was thrown away and what it came to."""
        only = self.config.sandbox == "required"
        ran = commands.run_command(self.text, self.repository, self.config.timeout, only, self.box)
        output = ran.output.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n").split("\n")
        lines = [f"| {line}" for line in output[-_LINES:]] if ran.output.strip() else []
        if ran.discarded:
            lines.append(f"thrown away: {', '.join(ran.discarded)}")
        log = lastrun.log_path(self.repository, self.text, make=False)
        if ran.output and os.path.isfile(log):
            lines.append(f"whole output: {log}")
        outcome = ran.outcome
        lines.append(f"passes: {outcome.evidence}" if outcome.holds else f"does not pass: {outcome.reason}")
        return outcome.holds, lines
