"""The configuration: its keys and their defaults. What a person's `gatilho.toml` says of them reads `configfile`."""

from gatilho.model import Value

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
# What a tool can do: touch the files that it names, in either way, run the command that it is given, or nothing here.
DOES = ("reads", "writes", "runs", "ignore")
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
    in days, the built-in ones included. stores: further stores as they are written. packs: the name of each, the
    address of its repository, and the commit that it is pinned to. tools: name of a tool that no host lists -> what it
    does (see DOES), and its arguments that are paths (empty: every value that names a file). hosts: name of a host that
    has no record -> its description, as it is written.
    """

    ask_after: int = 3
    warn: str = "after"
    rides_in: str = "table"
    rule_rides: str = "table"
    unattended: str = "deny"
    budget: int = 0
    briefing: int = 2000
    stores: tuple[str, ...] = ()
    packs: tuple[tuple[str, str, str], ...] = ()
    conditions: Conditions = Conditions()
    corrections: Corrections = Corrections()
    sources: dict[str, str] = {}
    kinds: dict[str, tuple[int | None, int | None]] = KINDS
    tools: dict[str, tuple[str, tuple[str, ...]]] = {}
    hosts: dict[str, dict[str, object]] = {}

    def __hash__(self) -> int:
        named = (self.sources, self.kinds, self.tools)
        return hash((self.as_tuple()[: -len(named) - 1], *(tuple(table.items()) for table in named), *self.hosts))
