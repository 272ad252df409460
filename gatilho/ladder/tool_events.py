"""Before and after a tool: ask, pay, note what was written, and warn.

What only some calls need is imported where they need it: most that match a row are neither asked about nor guarded.
"""

from gatilho.fast_path import may_settle
from gatilho.hosts.event import Reply
from gatilho.ladder import sessions
from gatilho.ladder.decide import Match, is_due
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.matching import A_COMMAND
from gatilho.ladder.tool_call import RepositoryCall, matches_of
from gatilho.model import Touch
from gatilho.triggers import paths


def before(scene: EventContext, reading: RepositoryCall) -> Reply:
    """Ask about what is due and would be written, and about what settles rows past the ladder."""
    matches = matches_of(scene, reading)
    if reading.command:
        _remember_stamps(scene, reading)
        if matches:  # so that the event after the command is looked at, even if the command removes what it names
            sessions.mark_live(scene.repository.shared_state, scene.event.session)
    if not scene.event.decides:
        return Reply()
    due = [match for match in matches if match.written and is_due(match, scene.config, scene.today)]
    settled = _objections(scene, reading)
    if due or settled:
        from gatilho.ladder import asking

        asked = asking.to_ask(scene, due)
        if asked or settled:
            return asking.stop_reply(scene, asked, settled)
    if scene.config.warn == "before" and scene.adapter.carries_context(scene.event):
        return _speak(scene, matches)
    return Reply()


def _objections(scene: EventContext, reading: RepositoryCall) -> list[str]:
    root = scene.repository.root  # what lies outside of it is named by its whole path
    names = [name for touch in reading.touches for name in paths.names_in(touch.path, root) or [touch.path]]
    if not may_settle(reading.command, names, scene.adapter.settings.guarded):
        return []
    from gatilho.ladder import guard

    return guard.objections(scene, reading)


def _speak(scene: EventContext, matches: list[Match]) -> Reply:
    if not matches:
        return Reply()
    from gatilho.ladder import delivery

    return delivery.speak(scene, matches)


def after(scene: EventContext, reading: RepositoryCall) -> Reply:
    """Pay what is paid, note what was written, and say what this agent has not heard."""
    event = scene.event
    if event.call and scene.session.asked():
        from gatilho.ladder import asking

        asking.note_happened(scene)
    moved = _moved_by_command(scene) if reading.command else set()
    if event.failed and not reading.command:
        reading = RepositoryCall("", (), tuple(Touch("read", t.path, t.text) for t in reading.touches))
    if moved:  # what a command removed is no longer found by its words
        named = {touch.path for touch in reading.touches}
        gone = tuple(Touch("write", path) for path in sorted(moved - named))
        reading = RepositoryCall(reading.command, reading.simple, reading.touches + gone)
    matches = matches_of(scene, reading)
    if scene.session.is_new_call(event.call):
        _note_written(scene, matches, reading, moved)
    return _speak(scene, matches)


def _note_written(scene: EventContext, matches: list[Match], reading: RepositoryCall, moved: set[str]) -> None:
    """Note the anchors that this call wrote: as its input says, and, for a command, as the files show.

    A command that failed may have written nothing: then only the files show it, but running it is still its own anchor.
    """
    believed = not (scene.event.failed and reading.command)
    for match in matches:
        if match.written and (believed or match.written == A_COMMAND or moved.intersection(match.files)):
            scene.session.write(match.key, match.written)
    for store, row, path in scene.session.spoken_paths() if moved else ():
        names = paths.names_in(path, scene.repository.root) if path in moved else ()
        if names:
            scene.session.write((store, row), names[0])


def _remember_stamps(scene: EventContext, reading: RepositoryCall) -> None:
    """Remember the stamps of the files of delivered rows, and of those the command names, before it runs."""
    if scene.event.call:
        watched = {path for _, _, path in scene.session.spoken_paths()} | {touch.path for touch in reading.touches}
        scene.session.remember_stamps(scene.event.call, sessions.stamps_of(sorted(watched)), scene.head())


def _moved_by_command(scene: EventContext) -> set[str]:
    """Return the watched files that a command changed.

    None when HEAD moved, for a pull or a checkout is no one's edit.
    """
    before, head = scene.session.take_stamps(scene.event.call)
    if not before or head != scene.head():
        return set()
    now = sessions.stamps_of(sorted(before))
    return {path for path, stamp in before.items() if now[path] != stamp}
