"""What is said, to the agent and to the person: texts made from rows, whole rows within a budget."""

from gatilho.ladder.decide import Match
from gatilho.model import Row, Value
from gatilho.plain import clean_line, counted, shell_word, shortened

# After the rows: how many were left out and how they can be seen.
_ROOM_FOR_REST = 120
# Characters: of a note in a line for the person, and of all lines together, which some hosts cut at 10,000.
_LONGEST_IN_A_LINE = 400
_MOST_FOR_PERSON = 2500
# Characters of a condition in words: one that is longer must not keep its row from being said.
_LONGEST_CONDITION = 400
_LONGEST_ID = 200


class Spoken(Value):
    """A text for the agent, the matches that are in it whole, and those that the budget cut."""

    text: str
    said: list[Match]
    cut: list[Match]


def notes(
    matches: list[Match], about: str, budget: int, remarks: "dict[tuple[str, str], list[str]]", see: str
) -> Spoken:
    """Return the rows for an agent, in the given order, each whole, in at most `budget` characters.

    about: what was touched. remarks: further words on a row by its key. see: the command that shows what was cut.
    Equal notes are said once, with all ids.
    """
    lines = [f"Notes kept in docs/gatilhos for {shortened(about, 200)}:"]
    groups = equal_notes(matches)
    room = budget - len(lines[0])
    said: list[Match] = []
    for number, group in enumerate(groups):
        # Only the first note is ever cut: notes come whole, but one that is too long must not silence them all.
        line = note_line(group, remarks, room if not said else 0)
        last = number == len(groups) - 1
        # Room is kept for the line that counts the others, except where none can follow.
        if len(line) + 1 > room - (0 if last else _ROOM_FOR_REST):
            break
        lines.append(line)
        room -= len(line) + 1
        said += group
    cut = [match for match in matches if match not in said]
    if cut:
        lines.append(f"({len(cut)} more: {shortened(see, 80)})")
    return Spoken("\n".join(lines) if said else "", said, cut)


def equal_notes(matches: list[Match]) -> list[list[Match]]:
    """Return the matches in their order, those that bear the same note together: it is said once."""
    groups: dict[str, list[Match]] = {}
    for match in matches:
        groups.setdefault(match.row.note, []).append(match)
    return list(groups.values())


def note_line(group: list[Match], remarks: "dict[tuple[str, str], list[str]]", room: int = 0) -> str:
    """Return one note with the ids that bear it.

    `room` cuts a note that alone is larger than the whole budget (0: never).
    """
    tail = " ".join(f"[{facts(match, remarks.get(match.key, []))}]" for match in group)
    note = clean_line(group[0].row.note)
    if room and len(note) + len(tail) + 4 + _ROOM_FOR_REST > room:
        note = shortened(note, max(80, room - len(tail) - 4 - _ROOM_FOR_REST))
    return f"- {note} {tail}"


def facts(match: Match, remarks: "list[str] | tuple[str, ...]" = ()) -> str:
    """Return the id, the lifecycle and kind, the rides, the condition in words and the place of a row."""
    row = match.row
    kind = f"{shortened(row.kind, _LONGEST_ID)}, " if row.kind else ""
    parts = [_id_of(row), f"{row.lifecycle}, {kind}{counted(match.count, 'ride')}"]
    if row.is_debt:
        parts.append(how_paid(row))
    parts += remarks
    parts += [f"{scope_of(row)} store"] if row.store else []
    parts.append(clean_line(row.place))
    return "; ".join(parts)


def _id_of(row: Row) -> str:
    return shortened(row.id, _LONGEST_ID)


def scope_of(row: Row) -> str:
    """Return whose a row is: "repository", "personal", a shared store as configured, or the folder of a nested one."""
    return clean_line(row.scope) or "repository"


def how_paid(row: Row) -> str:
    """Return what would pay the debt, in words."""
    if not row.conditions:
        return "paid when a person strikes its id"
    from gatilho.document.condition_grammar import in_words

    words = " and ".join(in_words(condition) for condition in row.conditions)
    return "paid when " + shortened(words, _LONGEST_CONDITION)


def due_line(match: Match) -> str:
    """Return one line for the person about a debt that is due."""
    row = match.row
    note = shortened(row.note, _LONGEST_IN_A_LINE)
    return f"{_id_of(row)} is due after {counted(match.count, 'ride')}: {note} ({clean_line(row.place)})"


def for_person(lines: list[str]) -> str:
    """Return the lines for the person, each once, as far as there is room."""
    lines = list(dict.fromkeys(lines))
    text = ""
    for number, line in enumerate(lines):
        if len(text) + len(line) > _MOST_FOR_PERSON:
            rest = counted(len(lines) - number, "more line")
            return f"{text}gatilho: {rest}; `gatilho list --due` shows all rows that are due."
        text += f"gatilho: {line}\n"
    return text.rstrip("\n")


def question(asked: list[Match], about: str, budget: int, may_run: bool = True, unseen: bool = False) -> Spoken:
    """Return why a write stops, and the way out for each reader: the agent can pay, the owner can answer.

    may_run: whether the commands among the first row's conditions are allowed on this machine. unseen: it is a command
    whose text does not show what it leaves in the files.
    """
    head = f"Owed and due in docs/gatilhos for {shortened(about, 200)}:"
    way_out = _way_out(asked[0].row, may_run, unseen)
    lines = [head]
    # The way out has its room before any note: a question that does not say how to answer only blocks.
    room = budget - len(head) - len(way_out) - 2 - _ROOM_FOR_REST
    said = 0
    for match in asked:
        line = note_line([match], {}, 0 if said else room)
        if said and len(line) + 1 > room:
            lines.append(f"({len(asked) - said} more: gatilho list --due)")
            break
        lines.append(line)
        room -= len(line) + 1
        said += 1
    return Spoken("\n".join([*lines, way_out]), asked[:said], asked[said:])


def _way_out(row: Row, may_run: bool, unseen: bool) -> str:
    allow = ""
    name = _id_of(row)
    if not may_run:
        agent = "Agent: leave the file and ask the owner; the command that pays this debt may not run on this machine."
        allow = f"run `gatilho allow {shell_word(_id_of(row))}` in your own terminal to allow that command, or "
    elif _runs_command(row):
        agent = "Agent: leave the file and ask the owner; the command that pays this debt runs when a turn closes."
    elif row.conditions and unseen:
        agent = (
            "Agent: the result of this command cannot be read from its text. Use an edit tool for the paying change: "
            "an edit that makes the condition hold is never stopped. Otherwise leave the file and ask the owner."
        )
    elif row.conditions:
        agent = (
            "Agent: an edit that makes the condition hold is never stopped; otherwise leave the file and ask the owner."
        )
    else:
        agent = "Agent: leave the file and ask the owner; a person pays this debt by striking its id."
    owner = f"Owner: {allow}type `ok {name}` on its own line to allow writes in this session, or "
    return f"{agent}\n{owner}`waive {name} until YYYY-MM-DD: reason` to postpone."


def _runs_command(row: Row) -> bool:
    if not row.conditions:
        return False
    from gatilho.verbs import commands_in

    return bool(commands_in(row.conditions))


def may_waive(row: Row) -> str:
    """Return what an agent may do itself where the configuration lets it."""
    how = f"`gatilho waive {shell_word(_id_of(row))} --until YYYY-MM-DD --why TEXT`"
    return f"Agent: {how} allows writes; the ledger records who waived it."
