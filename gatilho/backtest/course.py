"""What a row would have done, commit by commit, had it been in its table from the first of them on. Pure."""

from collections.abc import Mapping, Sequence

from gatilho.model import Row, Value
from gatilho.verbs import Outcome


class PastPayment(Value):
    """A payment. at: the number of its commit; until: of the commit that broke it, None where it lasts."""

    at: int
    until: int | None = None


class Course(Value):
    """What became of a row; commits by their numbers.

    written: commits that wrote what the row is about. spoke: those in which it would have spoken. asked: those whose
    write would have been asked about. rides: what it would have come to. held_before: its condition held before it
    was ever seen to fail. outcome: of its conditions after the last commit, None for a row without any. files: how many
    it matches after the last commit. unseen: triggers and conditions of which git's history says nothing, as written.
    """

    row: Row
    written: tuple[int, ...] = ()
    spoke: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    rides: int = 0
    payments: tuple[PastPayment, ...] = ()
    held_before: bool = False
    outcome: Outcome | None = None
    files: int = 0
    unseen: tuple[str, ...] = ()


def course_of(
    row: Row, written: Sequence[int], outcomes: Mapping[int, Outcome], ask_after: int, files: int = 0,
    unseen: tuple[str, ...] = (),
) -> Course:  # fmt: skip
    """Return the course of a row.

    written: the commits that wrote what it is about, in order. outcomes: of all its conditions together, by the
    numbers of the commits after which they may have changed; none for a row that no condition ends.
    """
    life = _Life(row.is_debt, ask_after)
    wrote = set(written)
    for number in sorted(wrote | set(outcomes)):
        life.go_on(number, number in wrote, outcomes.get(number))
    return Course(
        row, tuple(written), tuple(life.spoke), tuple(life.asked), life.rides, tuple(life.payments), life.held_before,
        life.outcome, files, unseen,
    )  # fmt: skip


class _Life:
    """A row on its way through the commits."""

    def __init__(self, is_debt: bool, ask_after: int) -> None:
        self.spoke: list[int] = []
        self.asked: list[int] = []
        self.payments: list[PastPayment] = []
        self.rides = 0
        self.held_before = False
        self.outcome: Outcome | None = None
        self._is_debt = is_debt
        self._ask_after = ask_after
        self._seen_failing = False

    def go_on(self, number: int, is_written: bool, changed: Outcome | None) -> None:
        """Take the next commit: what it wrote, and what the conditions come to if they may have changed."""
        if changed is not None:
            self._judge(number, changed)
        if not is_written or (self._is_debt and self._is_quiet):
            return
        if self._is_debt and self.rides >= self._ask_after:
            self.asked.append(number)
        self.spoke.append(number)
        self.rides += 1

    @property
    def _is_paid(self) -> bool:
        return bool(self.payments) and self.payments[-1].until is None

    @property
    def _is_quiet(self) -> bool:
        """Return whether nothing is to be said: the debt is paid, or its condition holds and is not believed yet."""
        return self._is_paid or (self.outcome is not None and self.outcome.holds)

    def _judge(self, number: int, outcome: Outcome) -> None:
        self.outcome = outcome
        if outcome.holds:
            if self._seen_failing and not self._is_paid:
                self.payments.append(PastPayment(number))
            self.held_before = self.held_before or not self._seen_failing
        elif not outcome.undecided:  # what cannot be looked at is no sign of a broken payment
            self._seen_failing = True
            if self._is_paid:
                self.payments[-1] = PastPayment(self.payments[-1].at, number)
