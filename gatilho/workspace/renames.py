"""Files that were renamed: what git's history says of a path that is gone, and a pattern that follows it."""

from gatilho.git import query

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
