"""The demonstration: a debt and a rule from the first note to the last ride, played through the real dispatcher.

Everything that is shown is also checked: where something does not happen as written, the story ends with exit status 1.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from show import Page
from stage import BACKLOG, RULES, Answer, NotAsTold, Project, Session, expect

TEST = "tests/test_retry.py"
SCHEMA = "api/schema.py"
FLAKY = """\
import time

from shop.retry import retry


def test_retry_waits():
    started = time.monotonic()
    assert retry(attempts=2) == "done"
    assert time.monotonic() - started < 0.20
"""
DEBT = (
    r"| D-7f3k | debt | `path: ^tests/test_retry\.py$` "
    "| tests/test_retry.py is flaky until it uses the frozen_clock fixture. "
    r"| `contains tests/test_retry.py \bfrozen_clock\b` | 0 | owed |"
)
RULE = (
    r"| R-p04x | rule | `path: ^api/schema\.py$` "
    "| After a schema change, run `make client` so that the client matches. | 0 | rule |"
)
PAYMENT = ("def test_retry_waits():", "def test_retry_waits(frozen_clock):")
FIFTY = 50


class Story:
    """The acts, in order; each begins where the one before it ended."""

    def __init__(self, project: Project, page: Page) -> None:
        self.project = project
        self.page = page

    def play(self) -> None:
        self.two_rows()
        self.the_first_ride()
        self.two_more_rides()
        self.the_question()
        self.the_payment()
        self.owed_again()
        self.where_nobody_can_be_asked()
        self.a_rule()
        self.what_is_left()

    def two_rows(self) -> None:
        self.page.act(
            "Two rows in git",
            "A repository gets its tables and hooks from one command. A person writes a debt (a gap with a known way "
            "of closing) and a rule (a standing property), and commits them like any other file.",
        )
        self.project.write(TEST, FLAKY)
        self.project.write(SCHEMA, "VERSION = 0\n")
        self.page.command("gatilho init", self.project.gatilho("init"))
        self.project.append(BACKLOG, DEBT)
        self.project.append(RULES, RULE)
        self.page.verbatim("backlog.md", [DEBT])
        self.page.verbatim("rules.md", [RULE])
        self.page.command("gatilho check", self.project.gatilho("check"))  # exits 1 if anything is wrong
        self.project.commit("Write down what we know")

    def the_first_ride(self) -> None:
        self.page.act(
            "Session 1: the note, and the first ride",
            "The agent touches the file that the debt is about. It hears of the debt then, not before; and when the "
            "turn closes with the file changed and the debt unpaid, that is one ride.",
        )
        session = Session(self.project, 1)
        start = session.start()
        self.page.say("host says", "SessionStart")
        self._show(start)
        self._told("D-7f3k" not in start.agent, "the start shows counts, not the notes of files that were not touched")
        self.page.say("agent does", f"Read {TEST}")
        note = session.read(TEST)
        self._show(note)
        self._told("uses the frozen_clock fixture" in note.agent and "0 rides" in note.agent, "the note is in context")
        self.page.say("agent does", f"Edit {TEST}: < 0.20 becomes < 0.25")
        before, after = session.edit(TEST, "< 0.20", "< 0.25")
        self._told(
            before.silent and after is not None and after.silent, "the same agent hears it once, the edit passes"
        )
        self.page.say("host says", "Stop")
        self._show(session.close_turn())
        self._written("rides", "1")
        self._told("charged" in self._ledger(), "the ride has its line in the ledger, with the file that caused it")
        self.project.commit("Loosen the limit")

    def two_more_rides(self) -> None:
        self.page.act(
            "Sessions 2 and 3: two more rides",
            "Each session that changes the file and leaves the debt counts one, and no session counts twice.",
        )
        for number, (old, new) in enumerate([("< 0.25", "< 0.30"), ("< 0.30", "< 0.35")], 2):
            session = Session(self.project, number)
            session.start()
            self.page.say("agent does", f"session {number}, Edit {TEST}: {old} becomes {new}")
            session.edit(TEST, old, new)
            self._show(session.close_turn())
            if number == 2:
                self.page.say("agent does", f"session {number}, next turn, Edit {TEST}: attempts=2 becomes attempts=3")
                session.edit(TEST, "attempts=2", "attempts=3")
                self._told(session.close_turn().silent, "the second turn of the session costs nothing more")
            self._written("rides", str(number))
            self._ledger()
            self.project.commit(f"Loosen the limit, session {number}")

    def the_question(self) -> None:
        self.page.act(
            "Session 4: the question",
            "After three rides the debt is due. The next write to the file stops until the owner decides; the question "
            "says how it can be paid.",
        )
        session = self.session = Session(self.project, 4)
        start = session.start()
        self.page.say("host says", "SessionStart")
        self._show(start)
        self._told("is due after 3 rides" in start.person, "the person hears of it on the host's own channel")
        self.page.say("agent does", f"Edit {TEST}: < 0.35 becomes < 0.40")
        before, after = session.edit(TEST, "< 0.35", "< 0.40")
        self._show(before)
        self._told(before.decision == "ask" and after is None, "the write waits for the owner, who says no")

    def the_payment(self) -> None:
        self.page.act(
            "The payment",
            "An edit that makes the condition hold is never stopped, not even by the debt that it pays. No one has to "
            "report anything: the program looks at the file.",
        )
        self.page.say("agent does", f"Edit {TEST}: {PAYMENT[0]} becomes {PAYMENT[1]}")
        before, after = self.session.edit(TEST, *PAYMENT)
        self._told(before.silent, "the edit passes without a question")
        self._show(after or Answer({}))
        self._show(self.session.close_turn())
        self._written("id", "~~D-7f3k~~")
        ledger = self._ledger()
        self._told(
            "paid" in ledger and f"{TEST}:6" in ledger, "the evidence is in the ledger: condition, file and line"
        )
        self._told(self.project.row(BACKLOG, "D-7f3k")["rides"] == "3", "the session that paid was not charged")
        self.project.commit("Use the frozen clock")

    def owed_again(self) -> None:
        self.page.act(
            "Session 5: owed again",
            "Weeks later a revert takes the fixture out again. What the program paid, it looks at again at the start "
            "of sessions, and takes the payment back. The three rides are still there.",
        )
        self.project.write(TEST, self.project.read(TEST).replace(PAYMENT[1], PAYMENT[0]))
        self.project.commit("Revert the clock")
        self.page.say("host says", "SessionStart")
        start = Session(self.project, 5).start()
        self._show(start)
        self._told("D-7f3k is owed again" in start.person, "the person hears why")
        self._written("id", "D-7f3k")
        self._told(self.project.row(BACKLOG, "D-7f3k")["rides"] == "3", "the count is as it was")
        self._told("regressed" in self._ledger(), "the ledger says that the payment no longer holds")
        self.project.commit("Take the payment back")

    def where_nobody_can_be_asked(self) -> None:
        self.page.act(
            "Session 6: where no person can be asked",
            "In a permission mode that approves everything unseen a question would be no question, so the write is "
            "refused, with the way out. The owner answers in the prompt, and the answer goes into the ledger.",
        )
        session = Session(self.project, 6, mode="bypassPermissions")
        session.start()
        self.page.say("agent does", f"Edit {TEST}: < 0.35 becomes < 0.40")
        before, _ = session.edit(TEST, "< 0.35", "< 0.40")
        self._show(before)
        self._told(before.decision == "deny", "the write is refused")
        self.page.say("person types", "ok D-7f3k")
        self._show(session.prompt("The release is tonight, so for once:\nok D-7f3k"))
        before, after = session.edit(TEST, "< 0.35", "< 0.40")
        self._told(before.silent and after is not None, "the same edit now passes, in this session")
        self._show(session.close_turn())
        self._written("rides", "4")
        ledger = self._ledger()
        self._told("asked" in ledger and "allowed" in ledger, "question and answer are in the ledger beside the ride")
        self.project.commit("Release")

    def a_rule(self) -> None:
        self.page.act(
            "A rule, fifty times",
            "A rule is shown at its trigger for ever. Fifty sessions change the schema; the count is a number for "
            "people and stops no one.",
        )
        told = asked = 0
        for number in range(FIFTY):
            session = Session(self.project, 100 + number)
            before, after = session.edit(SCHEMA, f"= {number}\n", f"= {number + 1}\n")
            closing = session.close_turn()
            expect(after is not None and closing.silent, f"the edit of session {100 + number} passes in silence")
            told += "run `make client`" in (after.agent if after else "")
            asked += bool(before.decision)
            if not number:
                self._show(after or Answer({}))
        self._told(told == FIFTY and asked == 0, f"{told} sessions read it, {asked} were asked")
        self._written("rides", str(FIFTY), RULES, "R-p04x")
        self._told(not self.project.new_ledger_lines(), "a rule's rides fill no ledger")
        self.project.commit("Change the schema, fifty times")

    def what_is_left(self) -> None:
        self.page.act("What is left", "Two tables and a ledger, all of it in git.")
        self.page.command("gatilho list", self.project.gatilho("list"))
        shown = self.project.gatilho("show", "D-7f3k")
        self.page.command("gatilho show D-7f3k", shown)
        events = ("charged", "asked", "paid", "regressed", "allowed")
        self._told(all(event in shown for event in events), "the whole life of the debt can be read")

    def _show(self, answer: Answer) -> None:
        """What the host makes of an answer: context, a question or a refusal, a line for the person."""
        if answer.person:
            self.page.say("person reads", answer.person)
        if answer.decision:
            self.page.say("host asks" if answer.decision == "ask" else "host refuses", answer.reason)
        if answer.agent:
            self.page.say("agent reads", answer.agent)

    def _written(self, column: str, text: str, name: str = BACKLOG, row_id: str = "D-7f3k") -> None:
        """Show the diff of a table and check one cell of it."""
        self.page.verbatim("git diff", self.project.diff(name))
        found = self.project.row(name, row_id)[column]
        self._told(found == text, f"{column} is {found}")

    def _ledger(self) -> str:
        """Show the new lines of the ledger: their text."""
        lines = self.project.new_ledger_lines()
        self.page.verbatim("ledger", lines)
        return "\n".join(lines)

    def _told(self, holds: object, what: str) -> None:
        expect(holds, what)
        self.page.check(what)


def main(arguments: list[str]) -> int:
    """Play the story; 0 when all of it happened as written."""
    keep = arguments == ["--keep"]
    if arguments and not keep:
        print("usage: scripts/demo [--keep]", file=sys.stderr)
        return 0 if arguments[0] in ("-h", "--help") else 2
    folder = Path(tempfile.mkdtemp(prefix="gatilho-demo-"))
    page = Page()
    try:
        Story(Project(folder), page).play()
    except NotAsTold as fault:
        print(f"scripts/demo: this did not happen: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"\nAll of it happened as shown: {page.checked} things were checked.")
    if keep:
        print(f"The repository is in {folder / 'shop'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
