"""Output into the log of a continuous integration runner, which obeys lines that look like commands to it."""

import io
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gatilho.model import Problem

# Set by GitHub Actions (and what imitates it), Azure Pipelines, TeamCity.
_RUNNERS = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
_AT_START = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
_ANYWHERE = re.compile(r"##(?=\w*\[)")


def defuse_output(environ: "Mapping[str, str]" = os.environ) -> None:
    """Let no line that is printed from now on be a command to the runner, whatever rows and paths say."""
    if any(environ.get(name) for name in _RUNNERS):
        for name in ("stdout", "stderr"):
            if not isinstance(getattr(sys, name), Defused):
                setattr(sys, name, Defused(getattr(sys, name)))


def print_commands(lines: "Iterable[str]") -> None:
    """Print lines that are to be obeyed, such as annotations."""
    stream = sys.stdout
    sys.stdout.flush()
    for line in lines:
        print(line, file=stream.inner if isinstance(stream, Defused) else stream)


def print_in_form(form: str, problems: "Sequence[Problem]", titles: "Mapping[str, str]") -> None:
    """Print problems in one of the forms that services of code hosts read: sarif, github or codeclimate."""
    from gatilho import render
    from gatilho.compare import output

    if form == "github":
        print_commands(output.annotations(problems))
    else:
        render.print_json(output.codeclimate(problems) if form == "codeclimate" else output.sarif(problems, titles))


class Defused(io.TextIOBase):
    """A text stream that writes whole lines, with a blank inside of what would be a command."""

    def __init__(self, inner: "Any") -> None:
        self.inner = inner
        self._held = ""

    def write(self, text: str) -> int:
        whole, ended, self._held = (self._held + text).rpartition("\n")
        if ended:
            self.inner.write(defused(whole) + ended)
        return len(text)

    def flush(self) -> None:
        if self._held:
            self.inner.write(defused(self._held))
            self._held = ""
        self.inner.flush()

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self.inner.isatty())

    def fileno(self) -> int:
        return int(self.inner.fileno())

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return str(self.inner.encoding)

    def __getattr__(self, name: str) -> "Any":
        return getattr(self.inner, name)


def defused(text: str) -> str:
    """Return the text so that no line of it is a command: a blank is put into its sign."""
    return _ANYWHERE.sub("# #", _AT_START.sub(r"\1: ", text))
