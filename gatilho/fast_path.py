"""The fast path: whether any row can match a tool call, decided from one flat file for each repository.

The call is read here, once: the ladder is handed what was read.
"""

from gatilho import system as os
from gatilho.bounded import is_there
from gatilho.git.root import (
    NEW_AFTER,
    Repository,
    find_repository,
    lines_of_mark,
    live_mark,
    repository_at,
    stores_above,
)
from gatilho.hosts import SETTINGS_PLACES, host_named
from gatilho.hosts.event import AFTER, BEFORE, SESSION_START, Event
from gatilho.hosts.tools import ToolInput, listed_call
from gatilho.index import signature
from gatilho.triggers import paths
from gatilho.triggers.paths import Touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Names whose writes and commands are looked at even when no row matches: what changes rows past the ladder.
GUARDED = ("gatilho", "pyproject.toml", ".gitattributes", ".git/config", ".git/hooks", ".git/info", "core.hookspath",
           "include.path", "includeif.", *SETTINGS_PLACES)  # fmt: skip
# The commands that change rows, raise counts, or set up and take out the hooks; and the one that hosts alone start.
GUARDED_VERBS = ("pay", "waive", "allow", "set", "reinstate", "revoke", "supersede", "expire", "rename", "fold", "init",
            "uninstall", "doctor", "hook", "replay", "ledger", "merge-driver")  # fmt: skip
# In front of a script that is fed: what it is, the guard finds out.
FED = "<"
# In an argument of a command: a piece that the reader of shell does not know.
UNKNOWN = "\0"
_WILDCARDS = {ord(mark): UNKNOWN for mark in "*?[]"}
# What git writes of whole folders; the guard finds out what that is.
_OF_FOLDERS_IN_GIT = frozenset(("restore", "stash", "reset", "clean", "read-tree", "checkout-index", "update-index",
                                "sparse-checkout", "switch", "update-ref", "--cached"))  # fmt: skip
# With these `git config` opens an editor.
EDITS = frozenset(("--edit", "-e", "edit"))
_WHOLE_TREE = frozenset((".", "--", "-f", "--force"))
# Folders with which guarded files would go.
_ABOVE_GUARDED = frozenset(("docs", "scripts", ".git", *(place.split("/")[0] for place in SETTINGS_PLACES)))
# What may be in front of a path in a command, and what ends the name of a folder there.
_BEFORE_PATH = " \t\n=:,;&|(<>"
_AFTER_FOLDER = "/'\" \t\n:,;&|)<>"


class ToolCall:
    """A tool call, read at most once: its command, the simple commands in it, its touches by repository.

    cwd: the absolute folder that the call runs in, else that the event speaks from. command: "" for none. shell: the
    language of the command. guarded: the files that the event's host reads hooks from. On an event that is no tool
    call everything but `cwd` is empty.
    """

    __slots__ = (
        "cwd", "command", "shell", "guarded", "_named", "_folders", "_line", "_simple", "_calls", "_all", "_touches",
        "_run_in", "_signatures",
    )  # fmt: skip

    def __init__(self, cwd: str, named: ToolInput, guarded: tuple[str, ...] = ()) -> None:
        self.cwd = named.folder or cwd
        self.command = named.command
        self.shell = named.shell
        self.guarded = guarded
        self._named = named.paths
        self._folders: dict[str, Repository | None] = {}
        self._signatures: dict[str, signature.Signature | None] = {}
        self._line = ""
        self._simple: tuple[str, ...] = ()
        self._calls: tuple[tuple[str, ...], ...] = ()
        self._run_in: tuple[tuple[str, ...], ...] = ()
        self._all: tuple[Touch, ...] = ()
        self._touches: dict[Repository, list[Touch]] | None = None

    @property
    def empty(self) -> bool:
        """Return whether the call runs no command and names no file."""
        return not (self.command or self._named)

    @property
    def line(self) -> str:
        """Return the whole command without what no shell runs."""
        self._read()
        return self._line

    @property
    def simple(self) -> tuple[str, ...]:
        """Return the simple commands of the shell command, as `triggers.shell` reads them."""
        self._read()
        return self._simple

    @property
    def folders(self) -> tuple[tuple[str, ...], ...]:
        """Return the absolute folders that each of the simple commands runs in, as far as they are known."""
        self._read()
        return self._run_in

    @property
    def calls(self) -> tuple[tuple[str, ...], ...]:
        """Return the arguments of each simple command as the program gets them, `UNKNOWN` in what is not known."""
        self._read()
        return self._calls

    @property
    def touches(self) -> dict[Repository, list[Touch]]:
        """Return the touches by the repository that holds the path; a command belongs to its folder's as well."""
        return self._read()

    @property
    def own_repository(self) -> Repository | None:
        """Return the repository of the folder that the call runs in."""
        return self._repository_above(self.cwd)

    def signature_in(self, repository: Repository) -> signature.Signature | None:
        """Return what the repository's flat file says, read once: it is 64 KiB; None where there is none."""
        folder = repository.own_state
        if folder not in self._signatures:
            self._signatures[folder] = signature.load_signature(folder)
        return self._signatures[folder]

    def nested(self, repository: Repository, names: "Iterable[str]") -> list[str]:
        """Return the folders with nested stores above those names in the repository, and above a command's folders.

        A tool that runs no command may name, and move, such a folder itself.
        """
        names = folders = list(names)
        if self.command:
            run_in = dict.fromkeys((self.cwd, *(folder for group in self._run_in for folder in group)))
            folders = [name for folder in run_in for name in paths.names_in(folder, repository.root)]
        return stores_above(repository.root, [*names, *(f"{name}/" for name in folders)])

    def plain_words(self) -> list[str] | None:
        """Return words of which those that the call would touch are some, without reading shell; None if it must be."""
        if not self.command or self._touches is not None or self.shell != "sh":
            return None
        from gatilho.shell.plain_command import plain_words

        return plain_words(self.command)

    def by_repository(self, touches: list[Touch]) -> dict[Repository, list[Touch]]:
        """Group touches by the repository that holds each path; with a command, the one of its folder comes first."""
        found: dict[Repository, list[Touch]] = {}
        own = self._repository_above(self.cwd) if self.command else None
        if own is not None:
            found[own] = []
        for touch in touches:
            repository = self._repository_of(touch.path)
            if repository is not None:
                found.setdefault(repository, []).append(touch)
        return found

    def outside(self, touches: "Iterable[Touch] | None" = None) -> list[Touch]:
        """Return those touches (of all, unless given) that may write what a person decided on this machine.

        That lies in a folder called as the project or as a host's settings, outside of all repositories, or in one that
        has no tables.
        """
        if touches is None:
            self._read()
            touches = self._all
        return [
            touch
            for touch in touches
            if touch.kind != "read" and _is_a_persons(touch.path) and not self._has_tables(touch.path)
        ]

    def _has_tables(self, path: str) -> bool:
        repository = self._repository_of(path)
        return repository is not None and is_there(repository.root + "/docs/gatilhos")

    def _read(self) -> dict[Repository, list[Touch]]:
        if self._touches is None:
            if self.command:
                from gatilho.git.around import Surroundings
                from gatilho.triggers.touches import touches_of_command

                effects = touches_of_command(self.command, self.cwd, Surroundings(), self.shell)
                self._line, self._simple, self._calls = effects.line, effects.commands, effects.calls
                self._run_in = effects.folders
                touches = effects.touches
            else:
                touches = tuple(
                    Touch(kind, path) for kind, given in self._named if (path := paths.absolute(given, self.cwd))
                )
            self._all = touches
            self._touches = self.by_repository(list(touches))
        return self._touches

    def _repository_of(self, path: str) -> Repository | None:
        """Find the repository that holds a path: the paths of a call lie in a few folders, each looked up once."""
        found = repository_at(path) or self._repository_above(path.rpartition("/")[0])
        return find_repository(path) if found is None else found  # the file itself may be a link into one

    def _repository_above(self, folder: str) -> Repository | None:
        if folder not in self._folders:
            self._folders[folder] = find_repository(folder)
        return self._folders[folder]


def _is_a_persons(path: str) -> bool:
    if "/." not in path:
        return "/gatilho" in path
    return "/gatilho" in path or any(
        place in path or path.endswith(f"/{place.partition('/')[0]}") for place in SETTINGS_PLACES
    )


def read_call(event: Event) -> ToolCall:
    """Return the tool call of an event; shell is read when it is asked for."""
    cwd = paths.absolute(event.cwd, "")
    if cwd is None:
        from gatilho.event_places import event_folder

        cwd = event_folder(event)
    if event.kind not in (BEFORE, AFTER):
        return ToolCall(cwd, ToolInput())
    return ToolCall(cwd, named_in(event, cwd), host_named(event.host).settings.guarded_files)


def named_in(event: Event, cwd: str = "") -> ToolInput:
    """Return what the call names, empty for a tool that touches no file and runs no command.

    cwd: the folder that relative paths are relative to. Of a tool that no host lists, the configuration says it, else
    the tool's own name.
    """
    listed = listed_call(event, cwd)
    if listed is not None:
        return listed
    repository = find_repository(cwd)
    setting = None
    if repository is not None:
        from gatilho.event_places import tool_setting

        setting = tool_setting(event.tool, repository.root)
    if setting is None and not event.tool.startswith(host_named(event.host).others):
        return ToolInput()
    from gatilho.hosts import mcp

    return mcp.server_call_of(event.tool, event.input, cwd, repository.root if repository is not None else "", setting)


def no_row_matches(event: Event, call: ToolCall) -> bool:
    """Return whether the event can be let pass without opening the index."""
    if event.kind not in (BEFORE, AFTER):
        return _nothing_to_open(call.cwd, event)
    if call.empty:
        return True
    is_quiet = _is_quiet(event, call)
    if is_quiet and call.command and event.kind == BEFORE:  # else the ladder notes more
        _watch(call, event)
    return is_quiet


def _is_quiet(event: Event, call: ToolCall) -> bool:
    """Return whether no row matches a tool call, and the guard has nothing to look at in it."""
    words = call.plain_words()
    if words is not None:  # more than the call touches: enough to say that no row matches
        named = [Touch("", path) for word in dict.fromkeys(words) if (path := paths.absolute(word, call.cwd))]
        by_repository = call.by_repository(named)
        texts = call.command, " ".join(words)
        if not call.outside(named) and _all_quiet(event, call, *texts, by_repository=by_repository):
            return True
    if call.outside():
        return False
    if call.command and call.touches and calls_are_guarded(call.calls, call.touches, call.guarded):
        return False
    return _all_quiet(event, call, call.line, *call.simple, by_repository=call.touches)


def calls_are_guarded(
    calls: tuple[tuple[str, ...], ...], repositories: "Iterable[Repository]", guarded: tuple[str, ...]
) -> bool:
    """Return whether the guard has to look at one of the simple commands, as the programs get them."""
    for words in calls:
        program = words[0].rpartition("/")[2]
        if program == FED:
            return True
        verb = next((word for word in words[1:] if word[:1] != "-"), "")
        if verb in GUARDED_VERBS and may_be_us(program):
            return True
        if _writes_folders(program, words):
            return True
        if may_be_guarded(_without_folders(" ".join(words), repositories), (), guarded):
            return True
    return False


def _writes_folders(program: str, words: tuple[str, ...]) -> bool:
    from gatilho.shell.plain_command import OF_FOLDERS

    return program in OF_FOLDERS or (program == "git" and _restores(words))


def _restores(words: tuple[str, ...]) -> bool:
    """Return whether a git command may rewrite whole folders: not one that only goes to another branch."""
    if not _OF_FOLDERS_IN_GIT.isdisjoint(words) or ("config" in words and not EDITS.isdisjoint(words)):
        return True
    if "branch" in words and any(
        word == "--force" or (word[:1] == "-" and ("f" in word or "D" in word)) for word in words
    ):
        return True
    # `git checkout NAME` goes to a branch; with more words it may name files to restore.
    return "checkout" in words and "-b" not in words and (len(words) > 3 or not _WHOLE_TREE.isdisjoint(words))


def may_be_us(program: str) -> bool:
    """Return whether a program's name that is not all known may be `gatilho`."""
    pieces = program.translate(_WILDCARDS).split(UNKNOWN)
    at = 0
    for piece in pieces:
        at = "gatilho".find(piece, at) + len(piece)
        # A piece that is not found gives -1, and so a place within its own length.
        if at < len(piece):
            return False
    return len(pieces) > 1


def _all_quiet(event: Event, call: ToolCall, *simple: str, by_repository: dict[Repository, list[Touch]]) -> bool:
    """Return whether no row of any of the repositories can match the call's command and the touches."""
    command = call.command
    commands = tuple(dict.fromkeys(simple)) if command else ()
    if command and by_repository and may_be_guarded(_without_folders(command, by_repository), (), call.guarded):
        return False
    for repository, touches in by_repository.items():
        if _may_match(repository, touches, commands, event, call):
            return False
    if command and event.kind == AFTER and _concerns_ladder(by_repository, event):
        return False
    for repository in by_repository:
        _give_sign_of_life(live_mark(repository.shared_state, event.session))
    return True


def _watch(call: ToolCall, event: Event) -> None:
    """Note what the files that rows name, and those for which rows spoke, look like before a command."""
    repository = call.own_repository
    found = call.signature_in(repository) if repository is not None else None
    if repository is not None and found is not None:
        from gatilho.index import watched

        spoken_for = lines_of_mark(live_mark(repository.shared_state, event.session))
        watched.note_stamps(repository, event, found.anchors, spoken_for, spoke=False)


def _concerns_ladder(by_repository: "Iterable[Repository]", event: Event) -> bool:
    """Return whether the ladder has to look at what a command did, by what was noted before it."""
    from gatilho.index import watched

    if any(watched.concerns_ladder(repository, event) for repository in by_repository):
        return True
    for repository in by_repository:
        watched.forget_stamps(repository, event)
    return False


def _nothing_to_open(cwd: str, event: Event) -> bool:
    """Return whether a prompt, a start or an end of a turn or session has nothing to do with any table."""
    from gatilho.event_places import has_store, homeless_state, session_repository, stores_around

    repository = session_repository(event, cwd)
    if repository is None:
        if event.kind == SESSION_START and is_there(cwd + "/docs/gatilhos"):
            return False
        return not is_there(homeless_state() + "/sessions.db")
    return not (has_store(repository) or is_there(repository.shared_state) or stores_around(repository, cwd))


def _may_match(
    repository: Repository, touches: list[Touch], commands: tuple[str, ...], event: Event, call: ToolCall
) -> bool:
    """Return whether the ladder has to look at the call in the repository."""
    if _waits(repository, bool(commands)):
        return True
    names = [name for touch in touches for name in paths.names_in(touch.path, repository.root)]
    nested = call.nested(repository, names)
    found = call.signature_in(repository)
    if found is None and not nested:
        from gatilho.event_places import has_store

        if not has_store(repository):
            return False
    # A count decides what a row does and never whether it matches; after a command it is asked who changed the ledger.
    may_change = "" if commands else "/docs/gatilhos/ledger"
    where = signature.whereabouts(repository.root)
    # A command may have written anywhere, into nested stores that are not in sight as well.
    if found is None or not signature.still_true(found.stamp, where, may_change, nested, alone=not commands):
        found = None if commands else _renewed_signature(repository, event, nested)
    if found is None:
        return True
    if may_be_guarded("", names, call.guarded) or any(signature.has_store_below(found.stamp, name) for name in names):
        return True
    return any(signature.may_concern(found.paths, name) for name in names) or any(
        signature.may_concern(found.commands, text) for text in commands
    )


def _renewed_signature(repository: Repository, event: Event, nested: list[str]) -> "signature.Signature | None":
    """Return the signature once the index took in changed tables, without loading the ladder; it may be kept nowhere.

    nested: the folders with nested stores that are in sight.

    None where there is more to do than to match: the session heard rows, tables have a problem to report, or the index
    cannot be used.
    """
    if is_there(live_mark(repository.shared_state, event.session)):
        return None
    from gatilho.index import database, freshness
    from gatilho.index.index import open_index
    from gatilho.index.refresh import bitmaps_of

    try:
        with open_index(repository, sight=freshness.Sight(nested, alone=True, patient=True)) as index:
            if index.connection.execute("SELECT 1 FROM problem WHERE severity = 'error' LIMIT 1").fetchone():
                return None
            stamp = freshness.meta(index.connection, "stamp")
            return signature.Signature(stamp, *bitmaps_of(index.connection))
    except (OSError, database.DatabaseError):
        return None


def may_be_guarded(command: str, names: "Iterable[str]", guarded: tuple[str, ...]) -> bool:
    """Return whether the guard has to look at a command ("" for none) and the touched names in a repository.

    guarded: the files that the event's host reads hooks from.
    """
    if _is_guarded(command) or any(name in command for name in guarded):
        return True
    return any(
        name.lower() in _ABOVE_GUARDED or _is_guarded(name) or any(own in name for own in guarded) for name in names
    )


def _is_guarded(text: str) -> bool:
    text = text.lower().replace("\\", "/")
    return any(name in text for name in GUARDED)


def _without_folders(command: str, repositories: "Iterable[Repository]") -> str:
    """Return a command without the absolute names of the repositories and the folders above them.

    A clone may lie below a folder that is called as the project, and to name it is to name no guarded file. What has
    a name that only begins so, or that ends in it, stays: it may be the program itself.
    """
    for repository in repositories:
        folder = repository.root
        while folder and _is_guarded(folder):
            # Python runs a folder that has this file as a program.
            if folder in command and not is_there(folder + "/__main__.py"):
                command = _without_folder(command, folder)
            folder = folder.rpartition("/")[0]
    return command


def _without_folder(command: str, folder: str) -> str:
    kept, at = [], 0
    while (start := command.find(folder, at)) >= 0:
        end = start + len(folder)
        is_whole = command[end : end + 1] in _AFTER_FOLDER  # as it is at the end of the command
        kept.append(command[at:start] if is_whole and _begins_path(command, start) else command[at:end])
        at = end
    return "".join([*kept, command[at:]])


def _begins_path(command: str, at: int) -> bool:
    """Return whether the slash at that place begins a path: quotes join what is on both sides of them."""
    while at and command[at - 1] in "'\"":
        at -= 1
    return not at or (command[at - 1] in _BEFORE_PATH and command[at - 2 : at - 1] != "\\")


def _waits(repository: Repository, shell: bool) -> bool:
    """Return whether something in the state folder makes this event more than a touch of its own paths.

    A note of what waits for git to finish; and, before and after a shell command, what was changed on the command line
    meanwhile.
    """
    return is_there(repository.waiting_mark) or (shell and is_there(repository.typed_mark))


def _give_sign_of_life(mark: str) -> None:
    """Let a session's mark say that it goes on: it must not count as silent because no row matches."""
    try:
        last = os.stat(mark).st_mtime
        from time import time

        if time() - last < NEW_AFTER:
            os.utime(mark)
    except (OSError, ValueError):
        pass  # no row was delivered in it, or nothing can be written here
