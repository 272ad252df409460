"""What can go wrong in a way that the program expects, and the exit status of each."""


class ExitStatus:
    """Exit statuses of the command line."""

    FINE = 0
    PROBLEMS = 1
    USAGE = 2
    NEEDS_A_PERSON = 3


class GatilhoError(Exception):
    """A fault that the program expects: the message says what is wrong and what to do next."""

    status = ExitStatus.PROBLEMS


class UsageError(GatilhoError):
    """The call, the configuration or the surroundings do not fit."""

    status = ExitStatus.USAGE


class DocumentError(GatilhoError):
    """A table or a ledger file that cannot be read or written as meant."""


class ConflictError(GatilhoError):
    """The store is in the middle of something: a merge, conflict markers, a lock held by another."""


class NeedsPerson(GatilhoError):
    """Only a person may decide this, and none can be asked here."""

    status = ExitStatus.NEEDS_A_PERSON
