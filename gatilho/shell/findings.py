"""What a command line does, as it is found: commands, calls, paths, and what files hold that it writes itself."""

from gatilho.shell import arguments, shell_state
from gatilho.shell.arguments import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.prose import Places

_MOST_EXPANDED = 200_000
_LONGEST_PATH = 4_096  # PATH_MAX on Linux
_MOST_LINKS = 64


class Findings:
    """All that is found, each in a dict for its order; the names are those in `CommandLine`.

    local: whether commands run on this machine, where their paths are. contents: what files were given to hold, by
    their paths. links: that were made, with what they are other names of. outputs: what each substitution printed, by
    its text. made: how many functions, contents and links there are, each of which changes what a text means.
    reached: how often a command did something beyond its own text.
    """

    def __init__(self) -> None:
        self.commands: dict[str, dict[str, None]] = {}  # with the folders that each runs in
        self.calls_made: dict[tuple[str, ...], None] = {}
        self.words: dict[tuple[str, str], None] = {}
        self.patches: dict[str, None] = {}
        self.patch_files: dict[tuple[str, str, int], None] = {}
        self.name_files: dict[tuple[str, str, str], None] = {}
        self.copies: dict[tuple[str, str, bool, bool], None] = {}
        self.pathspecs: dict[tuple[str, tuple[str, ...], str], None] = {}
        self.state = shell_state.ShellState()
        self.allowance = arguments.Allowance(_MOST_EXPANDED)
        self.local = True
        self.contents: dict[str, tuple[str, Places]] = {}
        self.links: dict[str, str] = {}
        self.outputs: dict[str, tuple[str, Places]] = {}
        self.made = 0
        self.reached = 0

    def add(self, text: str, folder: str | None) -> None:
        """Note a simple command, as `cmd:` triggers see it, and the folder that it runs in (None: not known)."""
        text = text.strip()
        if text:
            folders = self.commands.setdefault(text, {})
            if folder is not None:
                folders[folder] = None

    def note_call(self, given: list[Argument]) -> None:
        """Note the arguments of a program, names that a command printed as what they are."""
        words = tuple(argument.approximate for argument in given)
        if any(text[:1] in (arguments.LISTED, arguments.TRACKED) for text in words):
            words = tuple(part for text in words for part in arguments.listed_names(text))
        self.calls_made[words] = None

    def note_copy(self, copied: arguments.Copied) -> None:
        """Note that the files of a folder come to lie below another one."""
        source, target = copied.text, copied.target.text
        if self.local and source and target and not copied.target.glob:
            joined, put = self.state.join(source), self.state.join(target)
            if joined is not None and put is not None:
                joined = _pattern_in_folder(joined, source) if copied.glob else joined
                self.copies[joined, put, copied.contents, copied.glob] = None

    def touch(self, kind: str, argument: Argument) -> None:
        """Note what is done to the file that an argument names, if it is one of this machine."""
        text = argument.text
        if not self.local or not text or len(text) > _LONGEST_PATH:
            return
        if arguments.LISTED in text or arguments.TRACKED in text:
            self._touch_listed(kind, argument)
            return
        if text.startswith("/dev/") or "://" in text or (kind == "read" and ("\n" in text or text == "-")):
            return
        # Marks alone, such as `{}` or `;`, name no file; `.`, `..` and `/` do.
        if argument.glob or not text.isascii() or any(map(str.isalnum, text)) or text.strip("./") == "":
            joined = self.state.join(text)
            if joined is not None:
                joined = _pattern_in_folder(joined, text) if argument.glob else joined
                self.words[(kind + "*" if argument.glob else kind, joined)] = None
                if kind != "read" and (self.contents or self.links):
                    self._changed(kind, tidy_path(joined))

    def _touch_listed(self, kind: str, argument: Argument) -> None:
        """Note that names which a command prints may be written; to read them touches as little as a search does."""
        if kind in ("read", "maybe"):
            return
        text = argument.approximate
        if arguments.NAMED_IN in text:
            before, _, file = text.partition(arguments.TRACKED + arguments.NAMED_IN)
            joined = self.state.join(file)
            if joined is not None and self.state.cwd is not None:
                self.name_files[joined, self.state.cwd, before] = None
        elif text[0] != arguments.TRACKED:
            self.touch("listed", Argument(text.replace(arguments.LISTED, "").replace(arguments.TRACKED, "*"), True))
        elif self.state.cwd is not None:
            self.pathspecs[self.state.cwd, tuple(text.split(arguments.TRACKED)[1:]), "listed"] = None

    def _changed(self, kind: str, path: str) -> None:
        """Forget what a file held, and note it by the names that links give it."""
        self.contents.pop(path, None)
        end = len(path) if self.links else 0
        while end > 0:
            if path[:end] in self.links:
                self.words[kind, self.links[path[:end]] + path[end:]] = None
            end = path.rfind("/", 0, end)

    def hold(self, path: str, text: str, places: "Places", added: bool) -> None:
        """Note what a file holds now, as far as this text says it; added: at its end."""
        path = tidy_path(path)
        before = self.contents.get(path, ("", ())) if added else ("", ())
        if self.allowance.take(len(before[0]) + len(text)):
            self.contents[path] = (f"{before[0]}\n{text}" if before[0] else text), (*before[1], *places)
        self.made += 1
        self.reached += 1

    def link(self, source: Argument, target: Argument, symbolic: bool) -> None:
        """Note that a file has another name from now on; a symbolic link is read from the folder that it is in."""
        folder = target.approximate.rpartition("/")[0]
        text = source.text
        if symbolic and text and folder and text[0] != "/":
            text = f"{folder}/{text}"
        old, new = self.state.join(text) if text else None, self.state.join(target.text) if target.text else None
        if old is not None and new is not None and len(self.links) < _MOST_LINKS:
            self.links[tidy_path(new)] = old
            self.made += 1
            self.reached += 1

    def content_of(self, file: Argument) -> "tuple[str, Places] | None":
        """Return what this text wrote into a file, None where that is not known."""
        path = self.state.path_of(file) if self.contents else None
        return None if path is None else self.contents.get(tidy_path(path))

    def printed_into(self, argument: Argument) -> "tuple[str | None, Places] | None":
        """Return what `<(…)` gives to read, as far as it is known; None for any other argument."""
        return self.outputs.get(argument.raw[2:-1], (None, ())) if argument.raw.startswith("<(") else None

    def names_in(self, file: Argument) -> str | None:
        """Return the marked word for the names that a file holds, None where the file is not known."""
        return f"{arguments.TRACKED}{arguments.NAMED_IN}{file.text}" if file.text and not file.glob else None


def _pattern_in_folder(joined: str, pattern: str) -> str:
    """Return a pattern with its folder before it, which is meant literally, also where its own name has a wildcard."""
    if not joined.endswith(pattern):  # a pattern that begins with a folder of its own
        return joined
    return arguments.literal_pattern(joined.removesuffix(pattern)) + pattern


def tidy_path(path: str) -> str:
    return "/".join([part for at, part in enumerate(path.split("/")) if part != "." and (part or not at)])
