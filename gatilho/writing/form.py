"""The questions that `add` asks on a terminal; each answer is looked at before the next question."""

from collections.abc import Callable, Container

from gatilho import dates, render
from gatilho.document.cells import read_trigger
from gatilho.document.condition_grammar import forms, parse_conditions
from gatilho.document.draft import Draft
from gatilho.document.examples import parse_example
from gatilho.triggers import patterns
from gatilho.triggers.literals import searched_pattern

_END = "An empty line ends the list."
NO_KIND = "none"


def ask_in_form(draft: Draft) -> Draft:
    """Return the draft with what the author answers; raises EOFError where they end the input."""
    note = draft.note or _required("Note (one sentence that the agent should read): ")
    lifecycle, wants_condition = draft.lifecycle, bool(draft.conditions)
    if not wants_condition:
        lifecycle, wants_condition = _end_of_it()
    triggers = draft.triggers or _list_of(
        "Trigger: `path: REGEX`, `glob: PATTERN`, `write: REGEX`, `cmd: REGEX`, `prompt: REGEX`, `mark: ID` or "
        "`start`. " + _END,
        trigger_fault,
    )  # fmt: skip
    conditions = draft.conditions
    if wants_condition and not conditions:
        conditions = _list_of(f"Paid when: {forms()}. {_END}", condition_fault)
    return draft.replace(note=note, lifecycle=lifecycle, triggers=triggers, conditions=conditions)


def ask_kind(kinds: dict[str, tuple[int | None, int | None]]) -> str:
    """Return the kind that the author names, "" for none."""
    while True:
        said = input(f"Kind ({', '.join(kinds)} or {NO_KIND}): ").strip().casefold()
        if said in kinds:
            return said
        if said in ("", NO_KIND):
            return ""
        render.line(f"  {said} is not one of them.")


def ask_extras(draft: Draft, columns: Container[str], today: str) -> Draft:
    """Return the draft with the key, owner and dates that the author names, where the table has a column for them."""
    given = draft.contents
    answers: dict[str, str | tuple[str, ...]] = {}
    for name, question in (("key", "Key (what it is about, if one row alone may say it)"), ("owner", "Owner")):
        if name in columns and name not in given:
            answers[name] = input(f"{question}, or an empty line: ").strip()
    for name, otherwise in (("added", today), ("expires", ""), ("not before", "")):
        if name in columns and name not in given:
            answers[name.replace(" ", "_")] = _date(name, otherwise)
    if "examples" in columns and "examples" not in given:
        answers["examples"] = ask_examples()
    return draft.replace(**answers)


def _date(name: str, otherwise: str) -> str:
    while True:
        said = input(f"{name.capitalize()} (YYYY-MM-DD), or an empty line for {otherwise or 'none'}: ").strip()
        if not said or dates.is_date(said):
            return said or otherwise
        render.line(f"  {said} is not a date.")


def ask_examples() -> tuple[str, ...]:
    """Return an example of what the triggers match and one of what they do not, each unless the author has none."""
    found = []
    for answer, what in (("yes", "should match"), ("no", "should not match")):
        said = input(f"Example that they {what} (PATH or `cmd COMMAND`; empty for none): ").strip().strip("`").strip()
        if said:
            found.append(said if parse_example(said) is not None else f"{answer}: {said}")
    return tuple(found)


def ask_choice(ids: list[str]) -> tuple[str, str]:
    """Return what the author does about rows that say the same or otherwise: "update", "supersedes", "anyway" or ""."""
    named = f" {ids[0]}" if len(ids) == 1 else " ID"
    question = f"[u]pdate{named}, [s]upersede{named}, [a]dd it anyway, or write [n]othing? "
    words = input(question).split()
    verb = {"u": "update", "s": "supersedes", "a": "anyway"}.get(words[0][:1].lower() if words else "", "")
    chosen = words[1] if len(words) > 1 else ids[0] if len(ids) == 1 else ""
    while verb in ("update", "supersedes") and chosen not in ids:
        chosen = input(f"Which one ({', '.join(ids)})? ").strip()
        if not chosen:
            return "", ""
    return verb, chosen


def agrees(question: str) -> bool:
    """Return whether a person says yes; the end of the input is a no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes", "s", "sim")
    except EOFError:
        return False


def trigger_fault(text: str) -> str:
    """Return what is wrong with a trigger, "" for nothing."""
    trigger, wrong = read_trigger(text)
    if wrong or trigger is None:
        return f"{wrong[1]}: {wrong[2]}" if wrong else "it has no pattern"
    pattern = searched_pattern(trigger)
    if pattern is None:
        return "" if trigger.kind == "start" else f"`{trigger.pattern}` is not a glob"
    fault = patterns.compile_problem(pattern)
    return f"`{trigger.pattern}` is not a regular expression: {fault[0]}" if fault else ""


def condition_fault(text: str) -> str:
    """Return what is wrong with a condition, "" for nothing."""
    messages = parse_conditions([text])[1]
    return messages[0] if messages else ""


def _end_of_it() -> tuple[str, bool]:
    """Return the lifecycle, and whether a program can check the payment: what would make the note unnecessary?"""
    render.line("What would make this note unnecessary?")
    render.line("  1  a change that a program can check: it is a debt with a condition")
    render.line("  2  a change that only a person can judge: it is a debt, and a person strikes its id")
    render.line("  3  nothing, or you are not sure: it is a rule")
    while (said := input("1, 2 or 3 [3]: ").strip()) not in ("", "1", "2", "3"):
        render.line(f"  {said} is not one of them.")
    return ("debt" if said in ("1", "2") else "rule"), said == "1"


def _required(question: str) -> str:
    while True:
        said = input(question).strip()
        if said:
            return said


def _list_of(heading: str, fault: Callable[[str], str]) -> tuple[str, ...]:
    """Return one text or more in which nothing is wrong."""
    render.line(heading)
    found: list[str] = []
    while (said := input("  ").strip().strip("`").strip()) or not found:
        wrong = fault(said) if said else ""
        if wrong:
            render.line(f"  {wrong}")
        elif said:
            found.append(said)
    return tuple(found)
