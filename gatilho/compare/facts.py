"""What can be said of a change: its kinds, each with a stable code, and texts that know which part is whose."""

from collections.abc import Sequence

from gatilho.model import ProblemKind, Value
from gatilho.plain import clean_line

CODE, PROSE, COMMAND = "code", "prose", "command"
# A note has 400 characters at most, or `check` complains; no one's text may crowd out what else there is to say.
_MOST = 500


class Quote(Value):
    """A text from a table, the ledger or git, by many hands; a very long one is cut.

    form: CODE for ids, paths and patterns, COMMAND for what a person may run, else PROSE.
    """

    text: str
    form: str

    def __init__(self, text: str, form: str = CODE) -> None:
        line = clean_line(text)
        short = line if len(line) <= _MOST else f"{line[:_MOST]} ... ({len(line) - _MOST} more characters)"
        super().__init__(short, form)


def quoted(text: str, form: str = CODE) -> str | Quote:
    """Return a cell's text as a quote, words of ours for an empty one."""
    return Quote(text, form) if text else "(empty)"


class Aside(Value):
    """Words for who looks into the ledger, such as the mark of a session. brief: what a comment says instead."""

    words: "Words"
    brief: "Words" = ()


# A text of ours with other people's in it: whoever shows it escapes the quotes, and only them.
Words = tuple[str | Quote | Aside, ...]


def in_plain_text(words: Words) -> str:
    """Return the words as one line of text."""
    return "".join(one if isinstance(one, str) else _plain(one) for one in unfolded(words))


def listed(texts: Sequence[str], most: int | None = None) -> Words:
    """Return texts as quotes with commas between them; of more than `most`, how many are left."""
    words: list[str | Quote] = []
    for text in texts[:most]:
        words += [", ", Quote(text)] if words else [Quote(text)]
    return (*words, f" and {len(texts) - most} more") if most is not None and len(texts) > most else tuple(words)


def _plain(quote: Quote) -> str:
    # Beside words of ours, only marks show where a command begins and ends.
    return f"`{quote.text}`" if quote.form == COMMAND else quote.text


def unfolded(words: Words, briefly: bool = False) -> tuple[str | Quote, ...]:
    """Return the words with those of each aside among them, or what is said instead."""
    found: list[str | Quote] = []
    for one in words:
        if isinstance(one, Aside):
            found += unfolded(one.brief if briefly else one.words, briefly)
        else:
            found.append(one)
    return tuple(found)


KINDS: dict[str, ProblemKind] = {
    "fell": ProblemKind("GT701", "error", "the ride count of a debt was lowered without a recorded reason"),
    "removed owed": ProblemKind("GT702", "error", "a debt was removed while it was owed"),
    "old id": ProblemKind("GT703", "warning", "a new row reuses the id of a removed row"),
    "ledger lost": ProblemKind("GT704", "error", "lines of the ledger are gone"),
    "unreadable": ProblemKind("GT705", "error", "a row cannot be read any more"),
    "due": ProblemKind("GT710", "warning", "a debt is due now"),
    "passed": ProblemKind("GT711", "warning", "a write went through although it was asked about or denied"),
    "paid by hand": ProblemKind("GT712", "warning", "a debt was struck by hand"),
    "paid": ProblemKind("GT713", "note", "a debt is paid"),
    "back": ProblemKind("GT714", "note", "a row is in force again"),
    "regressed": ProblemKind("GT715", "warning", "a payment no longer holds"),
    "waived": ProblemKind("GT716", "note", "a debt is waived"),
    "ended": ProblemKind("GT717", "note", "a row ended"),
    "rides": ProblemKind("GT718", "note", "a row got rides"),
    "set": ProblemKind("GT719", "note", "the rides of a row were set"),
    "added": ProblemKind("GT720", "note", "a row is new"),
    "removed": ProblemKind("GT721", "note", "a row was removed"),
    "reworded": ProblemKind("GT722", "note", "a note was reworded"),
    "trigger": ProblemKind("GT723", "note", "a trigger changed"),
    "condition": ProblemKind("GT724", "note", "what pays a debt changed"),
    "cell": ProblemKind("GT725", "note", "another cell changed"),
    "moved": ProblemKind("GT726", "note", "a row moved to another file"),
    "renamed": ProblemKind("GT727", "note", "a row has a new id"),
    "readable": ProblemKind("GT729", "note", "a row can be read again"),
    "taken back": ProblemKind("GT730", "note", "a commit was reverted, and with it lines of the ledger"),
    "pays": ProblemKind("GT731", "note", "a change makes the condition of a debt hold"),
    "unpays": ProblemKind("GT732", "note", "a change undoes the payment of a debt"),
    "condition holds": ProblemKind("GT733", "error", "the condition of a debt was changed and now holds"),
    "out of reach": ProblemKind("GT734", "error", "a changed trigger no longer matches the files it was charged for"),
    "file moved": ProblemKind("GT735", "note", "a file moved away from a trigger"),
    "not looked at": ProblemKind("GT736", "note", "a command that pays a debt was not looked at"),
    "grew": ProblemKind("GT737", "error", "a change adds to what is left of a debt"),
    "still counted": ProblemKind("GT738", "note", "a ride was reverted, and its cell still counts it"),
    "lifecycle": ProblemKind("GT728", "warning", "a debt became a rule, or a rule a debt"),
}
# What a change of files does to rows; what there is to say of a review begins with them.
JUDGED = ("condition holds", "out of reach", "grew", "unpays", "pays", "file moved", "not looked at")


class Fact(Value):
    """One thing that is different.

    kind: a key of KINDS. by_hand: the table says so and the ledger does not. before, after: the texts that differ, for
    machines. event: the ledger's entry that explains it, as its fields. severity: "" for the kind's own.
    """

    kind: str
    words: Words
    remedy: Words = ()
    by_hand: bool = False
    before: str | None = None
    after: str | None = None
    event: tuple[object, ...] = ()
    own_severity: str = ""

    @property
    def code(self) -> str:
        return KINDS[self.kind].code

    @property
    def severity(self) -> str:
        return self.own_severity or KINDS[self.kind].severity
