"""The configuration: its keys and their defaults. What a person's `gatilho.toml` says of them reads `configfile`."""

from gatilho.model import Problem, Value

FILE = "gatilho.toml"
PYPROJECT = "pyproject.toml"
LIFECYCLES = ("rule", "debt")

# Half-life and time to live in days; None is exempt and stays so. The order is the one in which rows compete.
KINDS: dict[str, tuple[int | None, int | None]] = {
    "directive": (None, None),
    "pitfall": (30, 120),
    "convention": (45, 180),
    "decision": (60, 240),
    "state": (7, 30),
    "task": (21, 90),
    "finding": (30, 120),
    "reference": (45, 180),
    "operational": (14, 60),
}
KIND_ALIASES = {"gotcha": "pitfall"}


class Conditions(Value):
    """How conditions are checked: seconds for one command, whether a sandbox must be there, weeks of looking again."""

    timeout: int = 30
    sandbox: str = "if there"
    recheck_weeks: int = 6


class Corrections(Value):
    """Sessions until a correction becomes a proposal, proposals a week, seconds that a correction and a yes cost."""

    threshold: int = 3
    proposals_per_week: int = 5
    correction_seconds: int = 90
    approval_seconds: int = 20


class Config(Value):
    """What the configuration says, each key with its default.

    sources: name of a store file -> lifecycle of its rows without the column. kinds: name -> (half-life, time to live)
    in days, the built-in ones included. stores: further stores as they are written.
    """

    __slots__ = (
        "ask_after", "warn", "rides_in", "rule_rides", "unattended", "budget", "briefing", "stores",
        "conditions", "corrections", "sources", "kinds",
    )  # fmt: skip

    def __init__(
        self,
        ask_after: int = 3,
        warn: str = "after",
        rides_in: str = "table",
        rule_rides: str = "table",
        unattended: str = "deny",
        budget: int = 0,
        briefing: int = 2000,
        stores: tuple[str, ...] = (),
        conditions: Conditions | None = None,
        corrections: Corrections | None = None,
        sources: dict[str, str] | None = None,
        kinds: dict[str, tuple[int | None, int | None]] | None = None,
    ) -> None:
        self.ask_after = ask_after
        self.warn = warn
        self.rides_in = rides_in
        self.rule_rides = rule_rides
        self.unattended = unattended
        self.budget = budget
        self.briefing = briefing
        self.stores = stores
        self.conditions = conditions or Conditions()
        self.corrections = corrections or Corrections()
        self.sources = sources or {}
        self.kinds = kinds or dict(KINDS)

    def __hash__(self) -> int:
        return hash((self.as_tuple()[:-2], tuple(self.sources.items()), tuple(self.kinds.items())))


def load(root: str) -> tuple[Config, list[Problem]]:
    """The configuration of the repository at root, and what is wrong with it: a wrong key keeps its default."""
    from gatilho.configfile import read_configuration

    return read_configuration(root)
