"""Files that were renamed: what git's history says of a path that is gone, and a pattern that follows it."""

from gatilho.git import query
from gatilho.model import subtree_of

# Commits and seconds: renames that matter are recent, and a long history is not walked for one row.
_MOST_COMMITS = 3_000
_PATIENCE = 10
_MOST_STEPS = 20
_SPECIAL = frozenset("\\.^$*+?{}[]|()")


class Renames:
    """The renames of one working tree's history, newest first, and those that are not committed yet."""

    def __init__(self, root: str) -> None:
        options = ("-M", "--diff-filter=R", "--name-status", "-z", "--no-ext-diff")
        staged = query.ask_names(root, "diff", "--cached", "HEAD", *options, seconds=_PATIENCE) or []
        logged = query.ask_names(root, "log", "--format=", f"-n{_MOST_COMMITS}", *options, seconds=_PATIENCE) or []
        self.pairs = [*_pairs(staged), *_pairs(logged)]
        self._newest: dict[str, str] = {}
        for old, new in self.pairs:
            self._newest.setdefault(old, new)

    def now(self, name: str, names: "frozenset[str] | set[str]") -> str:
        """Return the tracked file that a name of old has become, "" where there is none."""
        seen = {name}
        for _ in range(_MOST_STEPS):
            name = self._newest.get(name, "")
            if not name or name in seen:
                return ""
            if name in names:
                return name
            seen.add(name)
        return ""


class RenamedFiles:
    """What files were renamed to in numbered commits, and with their store the folders of nested stores."""

    def __init__(self, renamed: list[tuple[int, str, str]]) -> None:
        """Take (number of a commit, old name, new name); the new name of a file that was removed is ""."""
        self._later: dict[str, list[tuple[int, str]]] = {}
        self._earlier: dict[str, list[str]] = {}
        folders: dict[tuple[int, str, str], None] = {}
        for number, old, new in sorted(renamed):
            self._later.setdefault(old, []).append((number, new))
            if new:
                self._earlier.setdefault(new, []).append(old)
            before, after = subtree_of(old), subtree_of(new)
            if before and after and before != after:
                folders[number, before, after] = None
        self._folders = list(folders)

    def __bool__(self) -> bool:
        return bool(self._later)

    def later(self, name: str, number: int, with_store: bool = False) -> list[str]:
        """Return the names that a file of that name got after a commit, in order.

        with_store: only those that it got with the folder of its store.
        """
        found: list[str] = []
        while self._later:
            steps = [] if with_store else self._later.get(name, [])
            steps = steps + [(at, new + name[len(old) :]) for at, old, new in self._folders if name.startswith(old)]
            steps = [step for step in steps if step[0] > number]
            number, name = min(steps, key=lambda step: step[0], default=(number, ""))
            if not name:
                break
            found.append(name)
        return found

    def earlier(self, name: str) -> list[str]:
        """Return the names that a file of that name may have had before."""
        found: dict[str, None] = {}
        left = [name] if self._later else []
        while left:
            name = left.pop()
            olds = [old + name[len(new) :] for _, old, new in self._folders if name.startswith(new)]
            new_ones = [old for old in (*self._earlier.get(name, ()), *olds) if old not in found]
            found.update(dict.fromkeys(new_ones))
            left += new_ones
        return list(found)


def _pairs(fields: list[str]) -> list[tuple[str, str]]:
    """Return (old, new) of what git prints with `--name-status -z`: a letter with a number, and two names."""
    fields = [field.lstrip("\n") for field in fields]
    return [
        (fields[at + 1], fields[at + 2])
        for at in range(len(fields) - 2)
        if fields[at][:1] == "R" and fields[at][1:].isdigit()
    ]


def moved_pattern(kind: str, pattern: str, old: str, new: str) -> str:
    """Return the trigger's pattern with the old name, or the folder that differs, made new; "" where unclear."""
    spell = str if kind == "glob" else escaped
    for before, after in _ways(old, new):
        for written in (spell(before), before):
            if written and written in pattern:
                return pattern.replace(written, spell(after) if written == spell(before) else after, 1)
    return ""


def escaped(name: str) -> str:
    """Return the regular expression for exactly this name."""
    return "".join("\\" + char if char in _SPECIAL else char for char in name)


def _ways(old: str, new: str) -> list[tuple[str, str]]:
    """Return what may have changed: the whole name, and the folders in which the two differ."""
    ways = [(old, new)]
    before, after = old.split("/"), new.split("/")
    while len(before) > 1 and len(after) > 1 and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
        ways.append(("/".join(before) + "/", "/".join(after) + "/"))
    return ways
