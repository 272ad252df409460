"""What takes each transition back, as the tests of the table and of whole walks play it."""

from gatilho.lifecycle.state_cell import successor_of, waived_until
from gatilho.lifecycle.transitions import state_of
from gatilho.model import Row


def reversal(name: str, before: Row) -> tuple[str, dict[str, object]]:
    """Return the transition that takes back the one of that name, and the fields of its wish.

    Before: the row before it.
    """
    if name == "set":
        return "set", {"number": before.rides}
    if name == "rename":
        return "rename", {"new_id": before.id}
    if name == "regress":
        return "pay", {}
    if name != "reinstate":
        return "reinstate", {}
    ending = {"paid": "pay", "waived": "waive", "superseded": "supersede", "expired": "expire"}
    return ending.get(state_of(before), "revoke"), {
        "until": waived_until(before.state_text),
        "successor": successor_of(before.state_text),
    }
