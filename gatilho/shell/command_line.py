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
    calls: the arguments of each simple command, the program first, as the program gets them: quotes taken off, known
    variables put in, a NUL for each piece that is not known. With wrappers, and once more without them.
    words: (kind, path) pairs, kinds as in `programs`, with a "*" after the kind where the path is a pattern.
    patches: the paths inside apply_patch envelopes. patch_files: (file, folder, parts to strip) of each patch that is
    applied from a file: its targets are in that file. line: the whole text without what no shell runs (comments,
    messages, here-documents that feed no shell), as in `commands`. pathspecs: (folder, git's pathspecs, kind) of each
    command that writes what they mean. copies: (source, target, whether it is what the source holds, whether it is a
    pattern) of each folder that may be copied or moved. folders: those that each of the commands runs in, as far as
    known. name_files: (file, folder, what comes before each) of files with names in them that are given to a writer.
    """

    commands: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    patches: tuple[str, ...] = ()
    patch_files: tuple[tuple[str, str, int], ...] = ()
    calls: tuple[tuple[str, ...], ...] = ()
    line: str = ""
    pathspecs: tuple[tuple[str, tuple[str, ...], str], ...] = ()
    copies: tuple[tuple[str, str, bool, bool], ...] = ()
    folders: tuple[tuple[str, ...], ...] = ()
    name_files: tuple[tuple[str, str, str], ...] = ()


def read_command(text: str, shell: str = "sh") -> CommandLine:
    """Read a command line as bash or zsh would, up to LONGEST characters; never raises, whatever the text.

    shell: "powershell" where it is in that language.
    """
    reader = Reader()
    source = text[:LONGEST].replace("\r\n", "\n").replace("\0", "")
    if shell == "powershell":
        from gatilho.shell.powershell import read_powershell

        line = reader.walk(source, through=read_powershell)
    else:
        line = reader.walk(source)
    found = tuple(reader.commands), tuple(reader.words), tuple(reader.patches), tuple(reader.patch_files)
    further = tuple(reader.calls_made), line + text[LONGEST:], tuple(reader.pathspecs), tuple(reader.copies)
    return CommandLine(*found, *further, tuple(map(tuple, reader.commands.values())), tuple(reader.name_files))
