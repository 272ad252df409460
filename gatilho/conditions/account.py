"""Why a command has not paid its debt, in lines for people: the same wherever the debt is spoken of."""

from gatilho.conditions import allowed, lastrun
from gatilho.conditions.runnable import why_impossible
from gatilho.document.condition_grammar import in_words
from gatilho.git.root import Repository
from gatilho.model import Row
from gatilho.plain import shell_word
from gatilho.verbs import verb_of


def account_of_command(repository: Repository, row_id: str, text: str, most: int = lastrun.FEW) -> list[str]:
    """Return what is known of a command: whether it may run, its last run, the last lines that it wrote, their file."""
    parts = []
    last = lastrun.last_run_of(repository, text)
    if last is not None:
        parts.append(f"when last run, {last.when}: {last.said}")
    history = lastrun.run_history(repository, text)
    if history.is_waiting and not history.was_cut:
        parts.append("no time was left for it at the last turn's end")
    impossible = why_impossible(text)
    if impossible:
        parts.append(f"never run: {impossible}")
    elif not allowed.is_allowed(repository, text):
        parts.append(f"not allowed on this machine (`gatilho allow {shell_word(row_id)}`)")
    lines = [f"    {line}" for line in (last.last_lines(most) if last is not None else ())]
    if last is not None and last.log:
        lines.append(f"    whole output: {last.log}")
    return ["; ".join(parts) or "not run yet", *lines]


def of_row(repository: Repository, row: Row) -> list[str]:
    """Return the same for each command of an owed debt, named; nothing for a row without one."""
    found: list[str] = []
    for one in row.conditions if row.owed else ():
        if verb_of(one).runs_command:
            head, *rest = account_of_command(repository, row.id, one.argument)
            found += [f"{in_words(one)}: {head}", *rest]
    return found
