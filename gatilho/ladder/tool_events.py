"""Before and after a tool: ask, pay, note what was written, and warn.

What only some calls need is imported where they need it: most that match a row are neither asked about nor guarded.
"""

from gatilho.bounded import is_there
from gatilho.fast_path import calls_are_guarded, may_be_guarded
from gatilho.hosts.event import Event, Reply
from gatilho.ladder.decide import Match, is_due
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.matching import A_COMMAND
from gatilho.ladder.tool_call import SHUTTING, RepositoryCall, matches_of
from gatilho.model import Touch
from gatilho.triggers import paths
from gatilho.wire import checksum

# Commits of one command, and files of each, that are looked at.
_MOST_COMMITS = 20
_MOST_NAMES = 2_000


def before(context: EventContext, reading: RepositoryCall) -> Reply:
    """Ask about what is due and would be written, and about what changes rows past the ladder."""
    matches = matches_of(context, reading)
    if reading.command:
        _note_stamps(context, reading, spoke=bool(matches))
    if not context.event.decides:
        return Reply()
    due = [match for match in matches if match.written and is_due(match, context.config, context.today)]
    objections = _objections(context, reading)
    if due or objections:
        from gatilho.ladder import asking

        asked = asking.to_ask(context, due, reading)
        if asked or objections:
            return asking.stop_reply(context, asked, objections, reading)
    if context.config.warn == "before" and context.adapter.carries_context(context.event):
        return _speak(context, matches)
    return Reply()


def _objections(context: EventContext, reading: RepositoryCall) -> list[str]:
    found = [paths.names_in(touch.path, context.repository.root) for touch in reading.touches]
    names = [name for given in found for name in given]
    guarded = context.adapter.settings.guarded_files
    shuts = not reading.command or any(call[0] in SHUTTING for call in reading.calls)
    above = [f"{name}/" for name in names if shuts]
    if not (
        not all(found)  # what lies outside is here for the guard alone
        or may_be_guarded(reading.command, names, guarded)
        or calls_are_guarded(reading.calls, (context.repository,), guarded)
        or any(f"{subtree}docs/".startswith(folder) for subtree in context.index.nested for folder in above)
    ):
        return []
    from gatilho.ladder import guard

    return guard.objections(context, reading)


def _speak(context: EventContext, matches: list[Match]) -> Reply:
    if not matches:
        return Reply()
    from gatilho.ladder import delivery

    return delivery.speak(context, matches)


def after(context: EventContext, reading: RepositoryCall, tables: "list[str] | None" = None) -> Reply:
    """Pay what is paid, note what was written, and say what this agent has not heard.

    tables: those that changed while the command ran, whether it names them or not.
    """
    event = context.event
    if event.call and context.session.asked():
        from gatilho.ladder import asking

        asking.note_happened(context)
    moved, kept = _moved_by_command(context) if reading.command else (set(), set())
    if event.failed and not reading.command:
        reading = RepositoryCall("", "", (), tuple(Touch("read", t.path) for t in reading.touches))
    if kept:  # of names that another command printed, those that it did not write
        touches = tuple(touch for touch in reading.touches if touch.certain or touch.path not in kept)
        reading = reading.replace(touches=touches)
    if moved:  # what a command removed is no longer found by its words
        named = {touch.path for touch in reading.touches if touch.kind == "write"}
        gone = tuple(Touch("write", path) for path in sorted(moved - named))
        reading = reading.replace(touches=reading.touches + gone)
    matches = matches_of(context, reading)
    if context.session.is_new_call(event.call, _said(event)):
        _note_written(context, matches, reading, moved)
    reply = _speak(context, matches)
    unreadable = _unreadable(context, reading, tables or [])
    return reply.replace(context="\n".join(filter(None, (reply.context, unreadable)))) if unreadable else reply


def _unreadable(context: EventContext, reading: RepositoryCall, tables: list[str]) -> str:
    if not tables and not any(touch.kind == "write" and touch.path.endswith(".md") for touch in reading.touches):
        return ""
    from gatilho.ladder import unreadable

    return unreadable.problems_for_agent(context, reading, tables)


def _said(event: Event) -> str:
    """Return what distinguishes a call from another one with the same id: its input."""
    return checksum(repr(event.input).encode("utf-8", "surrogatepass"))


def _note_written(context: EventContext, matches: list[Match], reading: RepositoryCall, moved: set[str]) -> None:
    """Note the anchors that this call wrote: as its input says, and, for a command, as the files show.

    A command that failed may have written nothing: then only the files show it, but running it is still its own anchor.
    """
    believed = not (context.event.failed and reading.command)
    for match in matches:
        if match.written and (believed or match.written == A_COMMAND or moved.intersection(match.files)):
            context.session.write(match.key, match.written)
    for store, row, path in context.session.spoken_paths() if moved else ():
        names = paths.names_in(path, context.repository.root) if path in moved else ()
        if names:
            context.session.write((store, row), names[0])


def _note_stamps(context: EventContext, reading: RepositoryCall, spoke: bool) -> None:
    """Note what the files of delivered rows, and those that the command names, look like before it runs.

    spoke: the event after it is looked at, even if the command removes what it names.
    """
    from gatilho.index import signature, watched

    found = signature.load_signature(context.repository.own_state)
    if found is None:  # as while a table has just changed, which is no reason to look at less
        from gatilho.index.refresh import anchors_of

        anchors = anchors_of(context.index.connection)
    else:
        anchors = found.anchors
    names = {path for _, _, path in context.session.spoken_paths()} | {touch.path for touch in reading.touches}
    watched.note_stamps(context.repository, context.event, anchors, sorted(names), spoke)


def _moved_by_command(context: EventContext) -> tuple[set[str], set[str]]:
    """Return the files that a command changed (watched ones, and those in the commits that it made), and what it left.

    Where HEAD moved by anything but a commit, what lies in the working tree shows nothing: a pull or a checkout is no
    one's edit.
    """
    from gatilho.index import watched

    noted = watched.stamps_before(context.repository, context.event)
    _note_commits(context, noted)
    moved, pairs = watched.committed(context.repository, noted)
    found = _in_commits(context, pairs)
    of_git = context.repository.git_dir + "/"
    before = {path: stamp for path, stamp in noted.items() if not path.startswith(of_git)}
    kept = {path for path, stamp in before.items() if watched.file_stamp(path) == stamp}
    if moved:
        return found, kept
    changed = {path for path in before if path[-1] != "/" and path not in kept}
    return found | changed | set(watched.made_since(noted)), kept


def _note_commits(context: EventContext, noted: dict[str, str]) -> None:
    """Note the commits that a command of an agent made, where rows of agents wait for a person's."""
    if is_there(context.repository.agent_rows):
        from gatilho.index import watched
        from gatilho.store import agent_rows

        agent_rows.note_agent_commits(context.repository, watched.commits_made(context.repository, noted))


def _in_commits(context: EventContext, pairs: list[tuple[str, str]]) -> set[str]:
    """Return the files that differ between the two commits of each pair."""
    if not pairs:
        return set()
    from gatilho.git import query

    found: set[str] = set()
    root = context.repository.root
    for old, new in pairs[:_MOST_COMMITS]:
        sides = [new] if not old.strip("0") else [old, new]
        names = query.ask_names(
            root, "diff-tree", "--root", "-r", "-z", "--name-only", "--no-commit-id", *sides, seconds=5
        )
        found.update(f"{root}/{name}" for name in (names or [])[:_MOST_NAMES])
    return found
