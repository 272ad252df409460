"""Before and after a tool: ask, pay, note what was written, and warn."""

from gatilho.hosts.event import Reply
from gatilho.ladder import asking, delivery, guard, recording, sessions
from gatilho.ladder.decide import Match
from gatilho.ladder.event_context import Scene
from gatilho.ladder.matching import A_COMMAND
from gatilho.ladder.tool_call import Reading, matches_of
from gatilho.model import Touch
from gatilho.triggers import paths


def before(scene: Scene, reading: Reading) -> Reply:
    """Ask about what is due and would be written, and about what settles rows behind the ladder's back."""
    matches = matches_of(scene, reading)
    if reading.command:
        _remember_stamps(scene, reading)
        if matches:  # so that the event after the command is looked at, even if the command removes what it names
            recording.mark_live(scene)
    asked = asking.to_ask(scene, matches)
    settled = guard.objections(scene, reading)
    if asked or settled:
        return asking.question(scene, asked, settled)
    if scene.config.warn == "before" and scene.adapter.carries_context(scene.event):
        return delivery.speak(scene, matches)
    return Reply()


def after(scene: Scene, reading: Reading) -> Reply:
    """Pay what is paid, note what was written, and say what this agent has not heard."""
    event = scene.event
    asking.note_happened(scene)
    moved = _moved_by_command(scene) if reading.command else set()
    if event.failed and not reading.command:
        reading = Reading("", (), tuple(Touch("read", t.path, t.text) for t in reading.touches))
    if moved:  # what a command removed is no longer found by its words
        named = {touch.path for touch in reading.touches}
        gone = tuple(Touch("write", path) for path in sorted(moved - named))
        reading = Reading(reading.command, reading.simple, reading.touches + gone)
    matches = matches_of(scene, reading)
    if scene.session.is_new_call(event.call):
        _note_written(scene, matches, reading, moved)
    return delivery.speak(scene, matches)


def _note_written(scene: Scene, matches: list[Match], reading: Reading, moved: set[str]) -> None:
    """Note the anchors that this call wrote: as its input says, and, for a command, as the files show.

    A command that failed may have written nothing: then only the files tell, but running it is still its own anchor.
    """
    believed = not (scene.event.failed and reading.command)
    for match in matches:
        if match.written and (believed or match.written == A_COMMAND or moved.intersection(match.files)):
            scene.session.write(match.key, match.written)
    for store, row, path in scene.session.spoken_paths() if moved else ():
        names = paths.names_in(path, scene.repository.root) if path in moved else ()
        if names:
            scene.session.write((store, row), names[0])


def _remember_stamps(scene: Scene, reading: Reading) -> None:
    """What the files of rows that spoke, and those the command names, look like before it runs."""
    if scene.event.call:
        watched = {path for _, _, path in scene.session.spoken_paths()} | {touch.path for touch in reading.touches}
        scene.session.remember_stamps(scene.event.call, sessions.stamps_of(sorted(watched)), scene.head())


def _moved_by_command(scene: Scene) -> set[str]:
    """The watched files that a command changed; none when HEAD moved, for a pull or a checkout is nobody's edit."""
    before, head = scene.session.take_stamps(scene.event.call)
    if not before or head != scene.head():
        return set()
    now = sessions.stamps_of(sorted(before))
    return {path for path, stamp in before.items() if now[path] != stamp}
