"""Whether the index still says what the files say, and the configuration that it keeps; reading again is `refresh`."""

from gatilho.bounded import is_there
from gatilho.config import Conditions, Config, Corrections
from gatilho.index import database, signature
from gatilho.wire import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Under which the index keeps the nested stores that it knows: by folder, whether it is one.
NESTED = "nested"


class Sight:
    """What a look at the index has to take in: `subtrees`, the folders that seem to have a store of their own.

    is_all: they are all that there are, as git says, so that the index forgets what else it knew. alone: no change of
    any other nested store matters. patient: a table that is moved away or cut at this very moment speaks as it did.
    """

    __slots__ = ("alone", "is_all", "patient", "subtrees")

    def __init__(
        self, subtrees: "Iterable[str]" = (), is_all: bool = False, alone: bool = False, patient: bool = False
    ) -> None:
        self.subtrees = frozenset(subtrees)
        self.is_all = is_all
        self.alone = alone
        self.patient = patient

    def widened(self) -> "Sight":
        """Return the same where changes of all nested stores matter."""
        return Sight(self.subtrees, self.is_all, patient=self.patient)

    def is_known(self, known: "dict[str, bool]") -> bool:
        """Return whether the index knows what is in sight."""
        if self.is_all:
            return self.subtrees == {subtree for subtree, is_store in known.items() if is_store}
        return self.subtrees <= known.keys()

    def known_after(self, root: str, known: "dict[str, bool]") -> "dict[str, bool]":
        """Return what is known once that is taken in, by folder; what is no longer there is not."""
        from gatilho.tables import FOLDER, MOST_NESTED

        now = {}
        for subtree in sorted(known.keys() | self.subtrees):
            if not is_there(f"{root}/{subtree}{FOLDER}/"):
                continue
            if self.is_all:
                if subtree in self.subtrees or len(self.subtrees) <= MOST_NESTED:
                    now[subtree] = subtree in self.subtrees
            elif subtree in known:
                now[subtree] = known[subtree]
            else:
                from gatilho.git.nested import is_ignored, is_nested

                now[subtree] = is_nested(root, subtree) and not is_ignored(root, subtree)
        return now


NOTHING = Sight()


def all_in_sight(root: str) -> Sight:
    """Return what a person's command sees: all nested stores of the repository, where git can list them."""
    from gatilho.git.nested import nested_stores

    found = nested_stores(root)
    return Sight(found or (), is_all=found is not None)


def fresh_stamp(connection: database.Connection, where: str, sight: Sight = NOTHING) -> tuple[str, str]:
    """Return the stamp and the configuration that are kept; "" for the stamp where the files say something else.

    sight: the nested stores that have to be among them.
    """
    query = "SELECT key, value FROM meta WHERE key IN ('stamp', 'unsure', 'config', ?)"
    found = connection.execute(query, (NESTED,)).fetchall()
    kept = {key: database.text_of_value(value) for key, value in found}
    stamp = kept.get("stamp", "")
    is_old = not stamp or kept.get("unsure") or not sight.is_known(_nested_in(kept.get(NESTED, "")))
    if is_old or not signature.still_true(stamp, where, "", sight.subtrees, sight.alone):
        return "", ""
    return stamp, kept["config"]


def kept_nested(connection: database.Connection) -> "dict[str, bool]":
    """Return what the index knows of folders with stores of their own (`services/pay/`), false for what is no store."""
    return _nested_in(meta(connection, NESTED))


def _nested_in(text: str) -> "dict[str, bool]":
    found = decode(text.encode()) if text else {}
    return found if isinstance(found, dict) else {}


def meta(connection: database.Connection, key: str) -> str:
    """Return what the index keeps under a key, "" for nothing."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return database.text_of_value(found[0]) if found else ""


def config_of(text: str) -> Config:
    """Return the configuration that `refresh` kept as one line, so that the hook need not read TOML."""
    values = decode(text.encode())
    named = dict(zip(Config.__fields__, values))  # type: ignore[call-overload]
    named["stores"] = tuple(named["stores"])
    named["packs"] = tuple(map(tuple, named["packs"]))
    named["conditions"] = Conditions(*named["conditions"])
    named["corrections"] = Corrections(*named["corrections"])
    named["kinds"] = {kind: tuple(days) for kind, days in named["kinds"].items()}
    named["tools"] = {tool: (does, tuple(paths)) for tool, (does, paths) in named.get("tools", {}).items()}
    return Config(**named)
