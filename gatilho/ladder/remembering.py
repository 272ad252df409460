"""Corrections in a prompt: `remember: KEY: VALUE` counts one for the session, `ok KEY` applies what was proposed."""

from gatilho.bounded import is_there
from gatilho.errors import GatilhoError
from gatilho.ladder import recording
from gatilho.ladder.event_context import EventContext
from gatilho.memory import corrections
from gatilho.memory.corrections import CorrectedFact
from gatilho.model import Row
from gatilho.store.change import Change


def record(context: EventContext, prompt: str) -> str:
    """Count the corrections in a prompt, keep the edits that it approves, and return its other lines."""
    for fact in corrections.facts_in(prompt):
        _count(context, fact)
    if not is_there(context.repository.shared_state + "/corrections"):
        return prompt
    return _without_approvals(context, prompt)


def apply_approved(context: EventContext) -> None:
    """Write the edits that the owner said yes to; outside of the sessions' transaction, for they wait for a lock."""
    from gatilho.memory import facts

    for fact in context.approved:
        try:
            edit = facts.plan_edit(context.index, fact, context.today)
            if isinstance(edit, str):
                context.person.append(edit)
                continue
            results = facts.apply_correction(
                context.index, edit, recording.context_of(context), f"person {context.event.host}"
            )
        except (GatilhoError, OSError) as error:
            context.person.append(f"{fact.key}: the edit was not applied. {error}")
            continue
        failed = next((one.reason for one in results if not one.is_well), "")
        written = ", ".join(name for name, _, _ in edit.changes)
        context.person.append(
            f"{fact.key}: {failed or 'applied'}; written: {written}. Commit it together with the ledger."
        )
    context.approved.clear()


def _count(context: EventContext, fact: CorrectedFact) -> None:
    from gatilho.memory import facts

    facts.remember_fact(context.repository, fact)
    session = context.session_hash()
    sessions = facts.sessions_that_corrected(context.index, fact.key)
    if session not in sessions:
        recording.queue(context, Change(Row(fact.key), "corrected", by=f"person {context.event.host}"))
        sessions.append(session)
    try:
        said, edit = facts.propose_edit(context.index, fact, len(sessions), context.today)
    except (GatilhoError, OSError) as error:
        said, edit = [f"{fact.key}: this correction is counted. {error}"], None
    context.person.append(" ".join([*said, *([f"Type `ok {fact.key}` on its own line to apply it."] if edit else [])]))


def _without_approvals(context: EventContext, prompt: str) -> str:
    """Keep the facts that a line `ok KEY` approves, and return the prompt without these lines."""
    from gatilho.memory import facts

    kept = []
    known = facts.remembered(context.repository)
    for line in prompt.replace("\r", "\n").split("\n"):
        verb, _, rest = line.strip().strip("`").partition(" ")
        named = rest.strip(" `.,:;!")
        key = next((one for one in known if corrections.same_key(one, named)), "")
        if key and verb.rstrip(",:").lower() == "ok" and not context.index.ids_in_any_case(named):
            _approve(context, CorrectedFact(key, known[key]))
        else:
            kept.append(line)
    return "\n".join(kept)


def _approve(context: EventContext, fact: CorrectedFact) -> None:
    from gatilho.memory import facts

    count, threshold = len(facts.sessions_that_corrected(context.index, fact.key)), context.config.corrections.threshold
    if count >= threshold:
        context.approved.append(fact)
    else:
        context.person.append(f"{fact.key}: nothing is proposed yet: corrected in {count} of {threshold} sessions.")
