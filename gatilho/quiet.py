"""The quiet path: whether anybody can be concerned by a tool call, told from one flat file for each repository."""

try:
    import posix as os
except ImportError:  # Windows
    import os  # type: ignore[no-redef]

from gatilho.git.root import Repository, find_repository
from gatilho.hosts.event import AFTER, BEFORE, SESSION_START, Event
from gatilho.hosts.tools import ToolCall, tool_call
from gatilho.index import signature
from gatilho.triggers import paths

# A session that is resumed after this silence counts as a new one for warn, charge and ask (seconds).
NEW_AFTER = 12 * 3600
# Names whose writes and commands are looked at even when no row is concerned: what settles rows without the ladder.
GUARDED = ("gatilho", ".claude/settings", ".codex/", ".gemini/settings", ".cursor/hooks", "pyproject.toml")
# Folders with which guarded files would go.
_ABOVE_GUARDED = frozenset(("docs", "scripts", ".claude", ".codex", ".gemini", ".cursor"))
# As many bytes of a `pyproject.toml` are looked through for our table in it.
_PYPROJECT = 1 << 18


def nobody_is_concerned(event: Event) -> bool:
    """Whether the event can be let pass without opening the index."""
    home = home_of(event)
    if event.kind not in (BEFORE, AFTER):
        return _nothing_to_open(home, event)
    call = tool_call(event.tool, event.input)
    if call.empty:
        return True
    commands, touched = _read_call(call, home)
    guarded = _guarded(call)
    by_repository = _by_repository(touched, home if call.command else "")
    for repository, texts in by_repository.items():
        if guarded or _concerned(repository, texts, commands, event):
            return False
    if guarded and any(path.startswith(homeless_state() + "/") for path in touched):
        return False  # permissions lie outside of every repository
    for repository in by_repository:
        _give_sign_of_life(live_mark(repository.shared_state, event.session))
    return True


def home_of(event: Event) -> str:
    """The absolute folder that the event speaks from."""
    cwd = event.cwd or _workspace(event.roots)
    return paths.absolute(cwd, "") or paths.absolute(cwd, _working_folder()) or _working_folder()


def session_repository(event: Event, home: str) -> Repository | None:
    """The repository that the session's turns belong to: where the host says that it began, else where it is now.

    Of the hosts Codex alone names no folder; there the variable would be that of a host which runs Codex as a tool.
    """
    began = signature.variable("CLAUDE_PROJECT_DIR") if event.host != "codex" else ""
    found = find_repository(paths.absolute(began, home) or home) if began else None
    return found if found is not None else find_repository(home)


def homeless_state() -> str:
    """Where a session that began in no repository remembers which ones it touched."""
    state = signature.variable("XDG_STATE_HOME")
    home = signature.variable("HOME") or signature.variable("USERPROFILE")
    return (state or home + "/.local/state") + "/gatilho"


def has_store(repository: Repository) -> bool:
    """Whether the repository, or the person on this machine, has tables at all, or names some elsewhere."""
    if _exists(repository.root + "/docs/gatilhos") or _exists(repository.root + "/gatilho.toml"):
        return True
    personal = signature.personal_folder()
    return (bool(personal) and _exists(personal)) or _names_us(repository.root + "/pyproject.toml")


def _names_us(path: str) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY)
    except (OSError, ValueError):
        return False
    try:
        return b"[tool.gatilho" in os.read(handle, _PYPROJECT)
    except OSError:
        return False
    finally:
        os.close(handle)


def _workspace(roots: tuple[str, ...]) -> str:
    """The first workspace folder in a repository with tables, else the first of all."""
    for root in roots:
        repository = find_repository(root) if len(roots) > 1 else None
        if repository is not None and _exists(repository.root + "/docs/gatilhos"):
            return root
    return roots[0] if roots else ""


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed while the session stood in it
        return "/"


def _nothing_to_open(home: str, event: Event) -> bool:
    """Whether a prompt, a start or an end of a turn or session has nothing to do with any table."""
    repository = session_repository(event, home)
    if repository is None:
        if event.kind == SESSION_START and _exists(home + "/docs/gatilhos"):
            return False
        return not _exists(homeless_state() + "/sessions.db")
    return not has_store(repository) and not _exists(repository.shared_state)


def _read_call(call: ToolCall, home: str) -> tuple[tuple[str, ...], list[str]]:
    """The simple commands of the call, and the absolute paths that it touches; of a plain command, at least these."""
    if not call.command:
        return (), [path for _, given in call.paths if (path := paths.absolute(given, home))]
    from gatilho.shell.plain_command import plain_words

    words = plain_words(call.command)
    if words is not None:
        return (call.command, " ".join(words)), [path for word in words if (path := paths.absolute(word, home))]
    from gatilho.triggers.touches import of_command

    commands, touches = of_command(call.command, home)
    return (call.command, *commands), [touch.path for touch in touches]


def _by_repository(touched: list[str], home: str) -> dict[Repository, list[str]]:
    """The paths by the repository that holds them; a command belongs to its folder's as well (home, "" for none)."""
    found: dict[Repository, list[str]] = {}
    folders: dict[str, Repository | None] = {}
    if home:
        own = folders[home] = find_repository(home)
        if own is not None:
            found[own] = []
    for path in touched:
        folder = path.rpartition("/")[0]
        if folder not in folders:
            folders[folder] = find_repository(folder)
        repository = folders[folder]
        if repository is None:  # the file itself may be a link into one
            repository = find_repository(path)
        if repository is not None:
            found.setdefault(repository, []).append(path)
    return found


def _concerned(repository: Repository, touched: list[str], commands: tuple[str, ...], event: Event) -> bool:
    if _waits(repository, event, bool(commands)):
        return True
    found = signature.read(repository.own_state)
    if found is None:
        return has_store(repository)
    if not signature.still_true(found, signature.whereabouts(repository.root)):
        return True
    names = [name for path in touched for name in paths.names_in(path, repository.root)]
    if any(name.lower() in _ABOVE_GUARDED or _is_guarded(name) for name in names):
        return True
    return any(signature.may_concern(found.paths, name) for name in names) or any(
        signature.may_concern(found.commands, text) for text in commands
    )


def _guarded(call: ToolCall) -> bool:
    return any(map(_is_guarded, [call.command] if call.command else [path for _, path in call.paths]))


def _is_guarded(text: str) -> bool:
    text = text.lower().replace("\\", "/")
    return any(name in text for name in GUARDED)


def _waits(repository: Repository, event: Event, shell: bool) -> bool:
    """Whether something in the state folder makes this event more than a touch of its own paths.

    A note of what waits for git to finish; and, before and after a shell command, a session in which rows have spoken,
    whose files are compared.
    """
    state = repository.shared_state
    return _exists(waiting_mark(repository)) or (shell and _exists(live_mark(state, event.session)))


def _give_sign_of_life(mark: str) -> None:
    """Let a session's mark say that it goes on, so that nobody takes it for silent because no row is concerned."""
    try:
        last = os.stat(mark).st_mtime
        from time import time

        if time() - last < NEW_AFTER:
            os.utime(mark)
    except (OSError, ValueError):
        pass  # no row was delivered in it, or nothing can be written here


def waiting_mark(repository: Repository) -> str:
    """The file that stands while something waits to be written in the working tree."""
    return repository.own_state + "/waiting"


def live_mark(state: str, session: str) -> str:
    """The file that stands while rows have been delivered in a session."""
    return f"{state}/live/{signature.checksum(session.encode('utf-8', 'surrogatepass'))}"


def _exists(path: str) -> bool:
    try:
        os.stat(path)
    except (OSError, ValueError):
        return False
    return True
