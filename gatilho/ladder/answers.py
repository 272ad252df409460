"""The owner's answer in a prompt: `ok ID`, or `waive ID until DATE: reason`, on a line of its own."""

from gatilho.dates import is_date
from gatilho.ladder import recording
from gatilho.ladder.decide import key_of
from gatilho.ladder.event_context import Scene
from gatilho.ladder.session import RowKey
from gatilho.model import Row, Value
from gatilho.store.change import Change


class Answer(Value):
    """What a line of a prompt says of a row: verb "ok" or "waive", the id, and a waiver's date and reason."""

    verb: str
    id: str
    until: str = ""
    why: str = ""


def answers_in(prompt: str) -> list[Answer]:
    """The answers in a prompt; a line that says anything else besides is prose."""
    found = []
    for line in prompt.replace("\r", "\n").split("\n"):
        answer = _answer(line.strip().strip("`").strip())
        if answer is not None:
            found.append(answer)
    return found


def _answer(line: str) -> Answer | None:
    verb, _, rest = line.partition(" ")
    rest = rest.strip()
    if verb.lower() == "ok" and rest:
        return Answer("ok", rest.removesuffix(".").strip("`"))
    if verb.lower() != "waive":
        return None
    row_id, _, rest = rest.partition(" until ")
    date, _, why = rest.partition(":")
    date = date.strip().removesuffix(".")
    return Answer("waive", row_id.strip().strip("`"), date, why.strip()) if row_id and is_date(date) else None


def misspelt_in(prompt: str) -> list[Answer]:
    """The lines that begin like an answer and are none, or none of one row: verb, what may be an id, nothing else."""
    found = []
    for line in prompt.replace("\r", "\n").split("\n"):
        verb, _, rest = line.strip().strip("`").partition(" ")
        if verb.lower() == "waive" and not answers_in(line):
            found.append(Answer("waive", rest.partition(" until ")[0].partition(":")[0].strip().strip("`")))
        elif verb.lower() == "ok" and "," in rest:
            found.append(Answer("ok", rest.partition(",")[0].strip().strip("`")))
    return found


def record(scene: Scene) -> None:
    """Record what the owner answered in this prompt.

    An answer lets every row pass for this session that its question counted, whether or not it was shown.
    """
    for answer in dict.fromkeys(answers_in(scene.event.prompt)):
        rows = [found.row for found in scene.index.rows_with_id(answer.id)]
        owed = [row for row in rows if row.owed]
        if not rows and scene.index.has_like(answer.id):
            scene.person.append(f"there is no row {answer.id}: nothing came of that answer.")
        if rows and not owed:
            scene.person.append(f"{answer.id} is not owed: nobody is asked about it.")
        if not owed:
            continue
        if answer.verb == "waive":
            if not _waive(scene, answer, owed):
                continue
        else:
            scene.person.append(f"{answer.id}: writes pass for this session.")
        _let_pass(scene, {key_of(row) for row in owed}, is_noted=answer.verb == "ok")
    _tell_misspelt(scene)


def _tell_misspelt(scene: Scene) -> None:
    """Tell the owner of a line that was meant as an answer: nothing came of it, and how it is written."""
    for answer in dict.fromkeys(misspelt_in(scene.event.prompt)):
        if not any(found.row.owed for found in scene.index.rows_with_id(answer.id)):
            continue
        if answer.verb == "waive":
            form = f"`waive {answer.id} until YYYY-MM-DD: reason`"
            scene.person.append(f"{answer.id} is not waived: write {form}, with a day of the calendar.")
        else:
            scene.person.append(f"{answer.id} is not answered: write `ok {answer.id}`, a line for each row.")


def _let_pass(scene: Scene, rows: set[RowKey], is_noted: bool) -> None:
    asked = scene.session.asked()
    questions = {a.question for a in asked if a.key in rows}
    for key in sorted(rows | {a.key for a in asked if a.question in questions}):
        scene.session.ask(key, "prompt", "ask", scene.event.mode)
        scene.session.answer(key, "prompt", "yes")
        if is_noted or key not in rows:  # of a waiver the ledger has a line of its own
            scene.session.add_line(key, "allowed", scene.now, "answered in the prompt, for this session")


def _waive(scene: Scene, answer: Answer, owed: list[Row]) -> bool:
    """Queue the waivers; False when the date does not lie ahead."""
    if answer.until <= scene.today:
        scene.person.append(f"{answer.id} is not waived: {answer.until} is not a day after today.")
        return False
    for row in owed:
        match = scene.match_of(key_of(row))
        if match is None:
            scene.person.append(f"{answer.id} is not waived: several rows have this id ({row.place}).")
            continue
        why = answer.why or "answered in the prompt"
        by = f"person {scene.event.host}"
        recording.queue(scene, Change(row, "waive", match.header, evidence=why, by=by, until=answer.until))
    return True
