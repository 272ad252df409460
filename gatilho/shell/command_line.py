"""What a shell command line does: its simple commands, and the files that it names.

Nothing is run and nothing is looked up: what depends on the machine (unset variables, `~`, the output of a command) is
unknown, and a word that holds it names no file.
"""

from gatilho.shell.flow import Reader
from gatilho.value import Value

LONGEST = 262_144
"""Characters that are read: twice what Linux takes as one argument, which is how a host hands the text to a shell."""


class CommandLine(Value):
    """What read_command found; every path is relative to the folder in which the command line begins, or absolute.

    commands: the text of each simple command: as written, then without redirections and assignments, then without
    wrappers, each where it differs.
    words: (kind, path) pairs, kinds as in `programs`, with a "*" after the kind where the path is a pattern.
    patches: the paths inside apply_patch envelopes. patch_files: (file, folder, parts to strip) of each patch that is
    applied from a file: its targets are in that file.
    """

    commands: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    patches: tuple[str, ...] = ()
    patch_files: tuple[tuple[str, str, int], ...] = ()


def read_command(text: str) -> CommandLine:
    """Read a command line as bash or zsh would, up to LONGEST characters; never raises, whatever the text."""
    reader = Reader()
    reader.walk(text[:LONGEST].replace("\r\n", "\n").replace("\0", ""))
    return CommandLine(tuple(reader.commands), tuple(reader.words), tuple(reader.patches), tuple(reader.patch_files))
