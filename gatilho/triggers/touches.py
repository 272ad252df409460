"""The touches of a shell command: what its words name in the real folders."""

from gatilho import bounded, system
from gatilho.shell.arguments import BETWEEN, MANIFEST, REWRITTEN, literal_pattern
from gatilho.shell.command_line import read_command
from gatilho.shell.outputs import split_folder
from gatilho.triggers import paths
from gatilho.triggers.paths import Touch
from gatilho.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.wildcards import Search

_FILE_KIND = 0o170000
_FOLDER = 0o040000
_LONGEST_PATCH = 1_000_000
_MOST_NAMES = 10_000


class Effects(Value):
    """What a command line does: the text that `cmd:` triggers see, as a whole and by simple commands, and its touches.

    line: without what no shell runs. touches: with absolute paths. calls: the arguments of each simple command.
    folders: the absolute folders that each of the commands runs in.
    """

    line: str
    commands: tuple[str, ...]
    touches: tuple[Touch, ...]
    calls: tuple[tuple[str, ...], ...]
    folders: tuple[tuple[str, ...], ...]


class Around:
    """What is around a command, as far as the disk alone does not say it; nothing is known here."""

    def root_of(self, folder: str) -> str:
        """Return the root of the repository that holds an absolute folder, "" for none."""
        return ""

    def variable(self, name: str) -> str:
        """Return a variable of the environment, "" where it is not set."""
        return ""

    def tracked(self, root: str) -> list[str]:
        """Return the names of the tracked files of the repository with that root."""
        return []

    def changed(self, root: str) -> list[str]:
        """Return the names of the files there that are not as HEAD has them."""
        return []

    def untracked(self, root: str) -> list[str]:
        """Return the names of the files there that git does not know."""
        return []

    def differing(self, root: str, revisions: list[str]) -> list[str]:
        """Return the names of the files there in which `git diff` with these revisions finds a difference."""
        return []


def touches_of_command(text: str, cwd: str, around: Around | None = None, shell: str = "sh") -> Effects:
    """Return what a shell command does that runs in a folder; shell: "powershell" where it is in that language.

    Wildcards are expanded, and whole folders that are removed or moved are listed, as the disk is at the moment of the
    call; patch files are read for their targets. What cannot be read gives no touch.
    """
    reading = read_command(text, shell)
    found = _Found(cwd, around or Around())
    for kind, word in reading.words:
        found.add_word(kind, word)
    found.certain = True
    for path in reading.patches:
        found.add("write", path)
    for file, folder, strip in reading.patch_files:
        found.add_patch(file, folder, strip)
    for source, target, contents, glob in reading.copies:
        found.add_copy(source, target, contents, glob)
    for folder, specs, kind in reading.pathspecs:
        found.add_pathspecs(folder, specs, kind)
    for file, folder, before in reading.name_files:
        found.add_names(file, folder, before)
    touches = tuple(found.touches.values())
    return Effects(reading.line, reading.commands, touches, reading.calls, found.folders(reading.folders))


class _Found:
    def __init__(self, cwd: str, around: Around) -> None:
        self.cwd = cwd
        self.around = around
        self._tracked: dict[str, list[str]] = {}
        self.touches: dict[tuple[str, str], Touch] = {}
        self.certain = True
        self._search: Search | None = None

    @property
    def search(self) -> "Search":
        if self._search is None:
            from gatilho.shell.wildcards import Search  # few commands hold wildcards

            self._search = Search()
        return self._search

    def _absolute(self, text: str) -> str | None:
        """Return the path that a word names, the folders that only the machine knows filled in."""
        known = split_folder(text)
        if known is None:
            return paths.absolute(text, self.cwd)
        what, rest = known
        if what.startswith("$"):
            folder = self.around.variable(what[1:]) or (self.around.root_of(self.cwd) if what != "$HOME" else "")
        else:
            folder = self.around.root_of(paths.absolute(what, self.cwd) or "")
        return paths.absolute(folder + rest, self.cwd) if folder else None

    def folders(self, known: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        """Return the absolute paths of folders, in groups as they are given."""
        absolute = {text: self._absolute(text or ".") for text in {text for group in known for text in group}}
        return tuple(tuple(path for text in group if (path := absolute[text]) is not None) for group in known)

    def add(self, kind: str, text: str, certain: bool = True, form_only: bool = False) -> None:
        path = self._absolute(text)
        if path is not None and (kind, path) not in self.touches:
            self.touches[kind, path] = Touch(kind, path, certain and self.certain, form_only)

    def add_word(self, kind: str, text: str) -> None:
        self.certain = kind != "listed*"
        for path in self._expanded(text) if kind.endswith("*") else [text]:
            self._add_kind(kind.removesuffix("*"), path)

    def add_copy(self, source: str, target: str, contents: bool, glob: bool) -> None:
        """Add what the files below a folder become where the folder, or what it holds, is put at a target."""
        put = self._absolute(target)
        sources = self._expanded(source) if glob else [path for path in (self._absolute(source),) if path is not None]
        is_folder = put is not None and self._file_kind(put) == _FOLDER
        for path in sources if put is not None else ():
            # `cp -r x d` makes d/x where d is a folder, else d itself; `x/.` puts what x holds into d.
            base = f"{put}/{path.rpartition('/')[2]}" if is_folder and not contents else put
            if self._file_kind(path) != _FOLDER:
                if glob and is_folder and base is not None:
                    self.add("write", base)
                continue
            for below in self.search.below(path):
                self.add("write", f"{base}{below[len(path) :]}")

    def _expanded(self, text: str) -> list[str]:
        """Return the paths that a pattern stands for now."""
        known = split_folder(text)
        if known is not None:
            base, text = self._absolute(text[: len(text) - len(known[1])]), known[1]
        else:
            base = "" if text.startswith("/") else paths.absolute(self.cwd, "")
        # The base is the name of a real folder: a wildcard in it is only a character.
        return [] if base is None else self.search.expand(f"{literal_pattern(base)}/{text}", not self.certain)

    def _add_kind(self, kind: str, text: str) -> None:
        if kind == "maybe" and self._file_kind(text) is None:
            return
        if kind == MANIFEST:
            self._add_manifest(text)
            return
        if kind == "into" and self._file_kind(text.rpartition("/")[0] or ".") != _FOLDER:
            return
        self.add("read" if kind == "read" else "write", text)
        path = self._absolute(text)
        is_rewritten = kind.startswith(REWRITTEN)
        deep = is_rewritten or kind in ("tree", "tracked", "maybe", "into")
        if path is None or not deep or self._file_kind(path) != _FOLDER:
            return
        # Only what removes or moves a folder takes along the files that git does not know.
        below = self.search.below(path) if kind == "tree" else self._tracked_below(path)
        ends = tuple(kind.split()[1:])
        for name in below:
            if not ends or name.endswith(ends):
                # Of files that are rewritten those that are in order stay as they are.
                self.add("write", name, certain=not is_rewritten, form_only=is_rewritten and bool(ends))

    def _add_manifest(self, text: str) -> None:
        """Add a file that a package manager may write, from the nearest folder of the repository that has it."""
        path = self._absolute(text)
        folder, _, name = (path or "").rpartition("/")
        root = self.around.root_of(folder)
        while folder != root and self._file_kind(f"{folder}/{name}") is None and folder:
            folder = folder.rpartition("/")[0]
        if self._file_kind(f"{folder}/{name}") is not None:
            self.add("write", f"{folder}/{name}", certain=False, form_only=True)  # what others keep in it stays

    def _tracked_below(self, folder: str) -> list[str]:
        """Return the tracked files below a folder; where git knows of none there, what the disk has.

        Outside of all repositories only what lies in the folder itself: it may be a person's home.
        """
        root = self.around.root_of(folder)
        if not root:
            return self.search.expand(f"{literal_pattern(folder)}/*", False)
        names = self._names(root)
        inner = folder[len(root) :].strip("/")
        found = [f"{root}/{name}" for name in names if not inner or name.startswith(inner + "/")]
        return found or self.search.below(folder)

    def _names(self, root: str) -> list[str]:
        if root not in self._tracked:
            self._tracked[root] = self.around.tracked(root)
        return self._tracked[root]

    def add_pathspecs(self, folder: str, specs: tuple[str, ...], kind: str) -> None:
        """Add the files that git's pathspecs mean in a folder; kind: of which files, as in `shell.git`."""
        from gatilho.shell.pathspecs import selected

        self.certain = kind != "listed"

        here = self._absolute(folder or ".")
        root = self.around.root_of(here) if here is not None else ""
        if here is not None and root:
            if kind.startswith(BETWEEN):
                names = self.around.differing(root, kind.removeprefix(BETWEEN).split(" "))
            else:
                ask = {"changed": self.around.changed, "untracked": self.around.untracked}.get(kind, self._names)
                names = ask(root)
            for name in selected(specs, here[len(root) :].strip("/"), names):
                self.add("write", f"{root}/{name}")

    def add_patch(self, file: str, folder: str, strip: int) -> None:
        from gatilho.patch_text import diff_paths

        for target in diff_paths(self._read(file), strip):
            self.add("write", f"{folder}/{target}" if folder else target)

    def add_names(self, file: str, folder: str, before: str) -> None:
        """Add the files that are named in a file, one on a line or several; which of them are written is not sure."""
        self.certain = False
        text = self._read(file).replace("\0", "\n")
        lines = text.split("\n", _MOST_NAMES)[:_MOST_NAMES]
        for name in dict.fromkeys([*lines, *text.split(None, _MOST_NAMES)[:_MOST_NAMES]]):
            path = before + name if (before + name).startswith("/") or not folder else f"{folder}/{before}{name}"
            if name and self._file_kind(path) is not None:
                self.add("write", path)

    def _file_kind(self, text: str) -> int | None:
        path = self._absolute(text)
        try:
            return None if path is None else system.stat(path).st_mode & _FILE_KIND
        except (OSError, ValueError):
            return None

    def _read(self, text: str) -> str:
        """Return the beginning of a regular file, "" where there is none."""
        path = self._absolute(text)
        try:
            return "" if path is None else bounded.head(path, _LONGEST_PATCH).decode("utf-8", "surrogateescape")
        except OSError:
            return ""
