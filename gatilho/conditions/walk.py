"""Files by a glob: `*`, `?` and `[class]` within one name, `**` over directories, alternatives in braces."""

from gatilho.conditions.tree import LEFT_OUT, MISSING, Lookup, Tree, TreeEntry, Unreadable
from gatilho.document.condition_grammar import is_glob
from gatilho.errors import DocumentError
from gatilho.triggers.glob_sets import CharacterSet, read_set
from gatilho.triggers.paths import composed
from gatilho.value import Value

MOST_NAMES = 50_000  # looked at for one glob
MOST_ALTERNATIVES = 100  # that the braces of one glob spell

_Parts = tuple[str, ...]


def expand_glob(tree: Tree, glob: str) -> Lookup:
    """Look up what a glob names; no wildcard enters the store, .git, nested repositories or what git ignores."""
    walk = _Walk(tree)
    try:
        for alternative in _alternatives(glob):
            walk.follow(tuple(part for part in alternative.split("/") if part))
        walk.fault = walk.fault or _why_not_all(tree, glob)
    except Unreadable as unseen:
        walk.fault = walk.fault or str(unseen)
    return Lookup(glob, [walk.spots[real] for real in sorted(walk.spots)], True, walk.fault)


def _why_not_all(tree: Tree, glob: str) -> str:
    """Return why a glob may name more than what is on the disk, "" where it does not."""
    if not tree.left_out:
        return ""
    left_out = next(filter(GlobNames(glob).takes, sorted(tree.left_out)), "")
    return f"names {left_out}, which {LEFT_OUT}" if left_out else ""


class _Walk:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.spots: dict[str, TreeEntry] = {}
        self.fault = ""
        self.names_left = MOST_NAMES
        self.names: dict[str, list[str]] = {}
        self.seen: set[tuple[str, _Parts]] = set()

    def follow(self, parts: _Parts) -> None:
        """Add all that the parts of a glob name, from the root; raises Unreadable when it becomes too much."""
        todo = [(TreeEntry("", self.tree.locate("").kind), parts)]
        while todo:
            spot, parts = todo.pop()
            if not parts:
                self.spots.setdefault(spot.real, spot)
            elif spot.is_directory and (spot.real, parts) not in self.seen:
                self.seen.add((spot.real, parts))  # a directory that several links lead to is walked once
                todo.extend(self._below(spot, parts))

    def _below(self, directory: TreeEntry, parts: _Parts) -> list[tuple[TreeEntry, _Parts]]:
        head, rest = parts[0], parts[1:]
        if head == "**":
            # `a/**/b` names `a/b` too, and `a/**` names files only.
            children = self._children(directory)
            steps = [(child, parts) for child in children if self._descends(directory, child)]
            return steps + ([(directory, rest)] if rest else [(one, ()) for one in children if not one.is_directory])
        if not is_glob(head):
            child = self.tree.locate(directory.child(head))
            if rest and child.is_directory and self.tree.is_nested(child):
                self.fault = f"leads into another repository, {child.real}"
                return []
            return [] if child.fault == MISSING else [(child, rest)]
        tokens = _tokens(head)
        named = (child for child in self._children(directory, tokens) if not rest or self._is_entered(child))
        return [(child, rest) for child in named]

    def _children(self, directory: TreeEntry, tokens: "list[_Token] | None" = None) -> list[TreeEntry]:
        names = self._names(directory.real)
        wanted = names if tokens is None else [name for name in names if _fits(composed(name), tokens)]
        children = (self.tree.locate_child(directory, name) for name in wanted)
        return [child for child in children if child.fault != MISSING and not child.is_hidden]

    def _names(self, directory: str) -> list[str]:
        if directory in self.names:
            return self.names[directory]
        try:
            names = self.tree.names(directory)
        except Unreadable as unseen:
            self.fault = self.fault or f"cannot be followed everywhere: {directory or 'the root'} {unseen}"
            names = []
        self.names[directory] = names
        self.names_left -= len(names)
        if self.names_left < 0:
            raise Unreadable(f"leads through more than {MOST_NAMES:,} files")
        return names

    def _descends(self, directory: TreeEntry, child: TreeEntry) -> bool:
        """Return whether `**` goes into a child: not where a link leads back to a directory that holds it."""
        return self._is_entered(child) and not (directory.real + "/").startswith(child.real + "/" if child.real else "")

    def _is_entered(self, child: TreeEntry) -> bool:
        return child.is_directory and not self.tree.is_nested(child) and child.real not in self.tree.ignored


def _alternatives(glob: str) -> list[str]:
    """Spell out braces that hold a comma, as a shell does; raises Unreadable when there are too many."""
    spelled: list[str] = []
    todo = [glob]
    while todo:
        text = todo.pop()
        start, cuts = _braces(text)
        if not cuts:
            spelled.append(text)
        else:
            for opened, closed in zip([start, *cuts], cuts):
                todo.append(text[:start] + text[opened + 1 : closed] + text[cuts[-1] + 1 :])
        # Counted while spelling: a few braces in a row would fill the memory before the end.
        if len(spelled) + len(todo) > MOST_ALTERNATIVES:
            raise Unreadable(f"spells more than {MOST_ALTERNATIVES} alternatives")
    return spelled


def _braces(text: str) -> tuple[int, list[int]]:
    """Return where the first brace with alternatives opens, and where each alternative ends; (-1, []) for none."""
    start = text.find("{")
    while start >= 0:
        depth = 0
        cuts = []
        for at in range(start, len(text)):
            depth += (text[at] == "{") - (text[at] == "}")
            if (text[at] == "," and depth == 1) or depth == 0:
                cuts.append(at)
            if depth == 0:
                break
        if depth == 0 and len(cuts) > 1:
            return start, cuts
        start = text.find("{", start + 1)
    return -1, []


class _Token(Value):
    """One step of a name's pattern: a star, or what one character must be (None: any)."""

    members: CharacterSet | None
    star: bool

    def takes(self, character: str) -> bool:
        return self.members is None or self.members.takes(character)


def _tokens(pattern: str) -> list[_Token]:
    pattern = composed(pattern)
    tokens = []
    at = 0
    while at < len(pattern):
        members, end = _set_at(pattern, at)
        if members is None and pattern[at] not in "*?":
            members = CharacterSet([pattern[at] * 2])
        tokens.append(_Token(members, star=members is None and pattern[at] == "*"))
        at = end
    return tokens


def _set_at(pattern: str, at: int) -> tuple[CharacterSet | None, int]:
    """Return the set that begins there and where it ends; (None, the next position) for a bracket that opens none."""
    if pattern[at] == "[":
        try:
            return read_set(pattern, at + 1)
        except DocumentError:
            pass
    return None, at + 1


def _fits(name: str, tokens: list[_Token]) -> bool:
    at = step = 0
    retry_at = retry_step = -1
    while at < len(name):
        if step < len(tokens) and tokens[step].star:
            step += 1
            retry_at, retry_step = at, step
        elif step < len(tokens) and tokens[step].takes(name[at]):
            at += 1
            step += 1
        elif retry_step >= 0:
            # Back to the last star only: earlier ones need no retry, so no glob takes exponential time.
            retry_at += 1
            at, step = retry_at, retry_step
        else:
            return False
    return all(token.star for token in tokens[step:])


class GlobNames:
    """A glob as a test of names: what `expand_glob` would name, where no link leads to a folder."""

    def __init__(self, glob: str) -> None:
        """Read the glob; raises Unreadable when it has too many alternatives."""
        self._alternatives = [_Alternative(text) for text in _alternatives(glob)]

    def takes(self, name: str, is_folder: bool = False) -> bool:
        """Return whether the glob names a path."""
        return any(one.takes(name, is_folder) for one in self._alternatives)


class _Alternative:
    """One glob without braces. start, end: what every name that it takes begins and ends with."""

    def __init__(self, glob: str) -> None:
        parts = [part for part in composed(glob).split("/") if part]
        plain = [part for part in parts if not is_glob(part)]
        leading = next((at for at, part in enumerate(parts) if is_glob(part)), len(parts))
        self.start = "/".join(plain[:leading]) + ("/" if 0 < leading < len(parts) else "")
        self.end = _end_of(parts[-1])
        self.parts = [part if part == "**" or not is_glob(part) else _tokens(part) for part in parts]

    def takes(self, name: str, is_folder: bool) -> bool:
        if not name.startswith(self.start) or not name.endswith(self.end):
            return False
        return _names_fit(self.parts, name.split("/"), is_folder)


def _end_of(part: str) -> str:
    """Return the text after the last wildcard of a name's pattern, "" where a set makes that unclear."""
    return "" if "[" in part or part == "**" else part[max(part.rfind("*"), part.rfind("?")) + 1 :]


def _names_fit(parts: "list[str | list[_Token]]", names: list[str], is_folder: bool) -> bool:
    if not parts:
        return not names
    head, rest = parts[0], parts[1:]
    if head == "**":
        if not rest:
            return bool(names) and not is_folder
        return any(_names_fit(rest, names[at:], is_folder) for at in range(len(names)))
    if not names:
        return False
    fits = names[0] == head if isinstance(head, str) else _fits(names[0], head)
    return fits and _names_fit(rest, names[1:], is_folder)
