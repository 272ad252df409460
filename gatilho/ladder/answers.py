"""The owner's answer in a prompt: `ok ID`, or `waive ID until DATE: reason`, on a line of its own."""

from gatilho.ladder import recording
from gatilho.ladder.scene import Scene
from gatilho.model import Value
from gatilho.store.cells import is_date
from gatilho.store.change import Change


class Answer(Value):
    """What a line of a prompt says of a row: verb "ok" or "waive", the id, and a waiver's date and reason."""

    __slots__ = ("verb", "id", "until", "why")

    def __init__(self, verb: str, id: str, until: str = "", why: str = "") -> None:
        self.verb = verb
        self.id = id
        self.until = until
        self.why = why


def answers_in(prompt: str) -> list[Answer]:
    """The answers in a prompt; a line that says anything else besides is prose."""
    found = []
    for line in prompt.replace("\r", "\n").split("\n"):
        answer = _answer(line.strip().strip("`").rstrip("."))
        if answer is not None:
            found.append(answer)
    return found


def _answer(line: str) -> Answer | None:
    said, _, why = line.partition(":")
    words = said.split()
    if not words:
        return None
    verb = words[0].lower()
    if verb == "ok" and len(words) == 2 and not why:
        return Answer("ok", words[1])
    if verb == "waive" and len(words) == 4 and words[2].lower() == "until" and is_date(words[3]):
        return Answer("waive", words[1], words[3], why.strip())
    return None


def record(scene: Scene) -> None:
    """Record what the owner answered in this prompt; an answer covers every row that its question counted."""
    asked = scene.session.asked()
    for answer in answers_in(scene.event.prompt):
        rows = scene.index.rows_with_id(answer.id)
        if not rows:
            continue
        if answer.verb == "waive":
            _waive(scene, answer)
            continue
        questions = {a.question for a in asked if a.row == answer.id}
        covered = {(a.store, a.row) for a in asked if a.question in questions} | {(f.row.store, f.row.id) for f in rows}
        for key in sorted(covered):
            if key not in {(a.store, a.row) for a in asked}:
                scene.session.ask(key, f"prompt {scene.now}", "ask", scene.event.mode)
                scene.session.answer(f"prompt {scene.now}", "yes")
            scene.session.add_line(key, "allowed", scene.now, "answered in the prompt, for this session")
        for question in questions:
            scene.session.answer(question, "yes")
        scene.person.append(f"{answer.id}: writes pass for this session.")


def _waive(scene: Scene, answer: Answer) -> None:
    for found in scene.index.rows_with_id(answer.id):
        if found.row.owed and not found.row.shared:
            why = answer.why or "answered in the prompt"
            by = f"person {scene.event.host}"
            recording.queue(scene, Change(found.row, "waive", found.header, evidence=why, by=by, until=answer.until))
            scene.person.append(f"{answer.id} is waived until {answer.until}.")
        else:
            scene.person.append(f"{answer.id} is not owed: there is nothing to waive.")
