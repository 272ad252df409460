"""What conditions come to, commit after commit: evaluated again only where a commit changed a file they look at."""

from collections.abc import Callable, Iterable

from gatilho.backtest.past_tree import BEFORE, PastTree, folders_above
from gatilho.conditions.file_conditions import Searched, View
from gatilho.conditions.tree import Lookup, TreeEntry, Unreadable
from gatilho.conditions.walk import GlobNames
from gatilho.document.condition_grammar import is_glob
from gatilho.model import STORE, Condition
from gatilho.triggers.budget import Budget
from gatilho.verbs import Outcome, verb_of
from gatilho.workspace.past import Past

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.file_conditions import Test

_DIRECTORY, _REGULAR = 0o040000, 0o100000

Verdicts = dict[Condition, dict[int, Outcome]]


def verdicts_of(
    conditions: Iterable[Condition], past: Past, tree: PastTree, budget: Budget, tick: Callable[[int], None]
) -> Verdicts:
    """Return for each condition its outcomes: before the first commit, and after each that may have changed it.

    tree: before the first commit, and after the last one in the end. tick: called with the number of each commit.
    """
    watched = _Watched(tuple(dict.fromkeys(conditions)), past, tree, budget)
    found: Verdicts = {watch.condition: {BEFORE: watch.outcome()} for watch in watched.all}
    for number, commit in enumerate(past.commits):
        tick(number)
        # Taken before the step: only names that come or go can change which folders there are.
        before = {change.name for change in commit.changes if change.name in tree.files}
        tree.step(commit)
        for watch in watched.concerned([change.name for change in commit.changes], before):
            found[watch.condition][number] = watch.outcome()
    return found


def concerned_by(names: Iterable[str], links: bool) -> Callable[[Condition], bool]:
    """Return the test whether a condition may come to something else after a change of these names.

    links: whether the branch has symbolic links, which may lead from any path to any file.
    """
    near = set(names)
    near.update([folder for name in near for folder in folders_above(name)])

    def test(condition: Condition) -> bool:
        verb, path = verb_of(condition), condition.argument
        if verb.runs_command or not verb.takes_path:
            return False
        if links or path in near or any(folder in near for folder in folders_above(path)):
            return bool(near)
        glob = _names_of(path) if is_glob(path) else None
        return glob is not None and any(glob.takes(name, is_folder) for name in near for is_folder in (False, True))

    return test


class _Watched:
    """All conditions, and which of them a changed file concerns."""

    def __init__(self, conditions: tuple[Condition, ...], past: Past, tree: PastTree, budget: Budget) -> None:
        self.tree = tree
        self.all: list[_Watch] = []
        self._by_path: dict[str, list[_Watch]] = {}
        self._by_folder: dict[str, list[_Watch]] = {}  # by the folders of a path, which a file may replace
        self._globs: dict[str, list[_GlobWatch]] = {}
        self._paths: list[_Watch] = []
        for condition in conditions:
            path, takes_path = condition.argument, verb_of(condition).takes_path
            watch: _Watch
            if takes_path and is_glob(path) and not past.knows(path):  # as `app/[id].py` may be a name
                watch = _GlobWatch(condition, tree, budget)
                self._globs.setdefault(path, []).append(watch)
            else:
                watch = _Watch(condition, _PathView(tree, budget))
                if takes_path:
                    self._add_path(watch, path)
            self.all.append(watch)
        self._names = {glob: _names_of(glob) for glob in self._globs}
        self._takers: dict[tuple[str, bool], list[_GlobWatch]] = {}
        for name in tree.files:
            self._note(name, there=True, new=True)

    def concerned(self, names: list[str], before: set[str]) -> "list[_Watch]":
        """Return the conditions that look at one of the changed names; before: those that were there already."""
        found: dict[_Watch, None] = {}
        for name in names:
            there = name in self.tree.files
            found.update(dict.fromkeys(self._note(name, there, new=there != (name in before))))
            found.update(dict.fromkeys(self._by_folder.get(name, ())))
            for path in (name, *folders_above(name)):
                found.update(dict.fromkeys(self._by_path.get(path, ())))
        if names and self.tree.links:  # a link may lead from any path to any file
            found.update(dict.fromkeys(self._paths))
            found.update((one, None) for ones in self._globs.values() for one in ones if one.files.note_links())
        return list(found)

    def _add_path(self, watch: "_Watch", path: str) -> None:
        self._paths.append(watch)
        for name in (path, *self.tree.renamed.earlier(path)):
            self._by_path.setdefault(name, []).append(watch)
            for folder in folders_above(name):
                self._by_folder.setdefault(folder, []).append(watch)

    def _note(self, name: str, there: bool, new: bool) -> "list[_GlobWatch]":
        """Note a changed file in the globs that take it, and its folders where it came or went; return these globs."""
        found = list(self._takers_of(name, False))
        for watch in found:
            watch.files.note_file(name, there)
        for folder in folders_above(name) if new else ():
            for watch in self._takers_of(folder, True):
                watch.files.note_folder(folder)
                found.append(watch)
        return found

    def _takers_of(self, name: str, is_folder: bool) -> "list[_GlobWatch]":
        """Return the conditions with a glob that takes a name, or one that it gets later."""
        found = self._takers_by_name(name, is_folder)
        is_there = self.tree.has_folder(name) if is_folder else name in self.tree.files
        number = self.tree.number if is_there else self.tree.number - 1  # what goes away had its names until now
        for with_store in (True, False) if self.tree.renamed else ():
            for later in self.tree.renamed.later(name, number, with_store):
                takers = self._takers_by_name(later, is_folder)
                found = found + [one for one in takers if with_store or one.reads_files]
        return found

    def _takers_by_name(self, name: str, is_folder: bool) -> "list[_GlobWatch]":
        key = (name, is_folder)
        if key not in self._takers:
            # As on disk, where no wildcard enters the store.
            seen = f"/{STORE}/" not in f"/{name}/"
            globs = [glob for glob, names in self._names.items() if seen and names and names.takes(name, is_folder)]
            self._takers[key] = [watch for glob in globs for watch in self._globs[glob]]
        return self._takers[key]


def _names_of(glob: str) -> GlobNames | None:
    try:
        return GlobNames(glob)
    except Unreadable:
        return None


class _Watch:
    """A condition on one path, or one that looks at no file."""

    def __init__(self, condition: Condition, view: View) -> None:
        self.condition = condition
        self._verb = verb_of(condition)
        self._view = view

    @property
    def reads_files(self) -> bool:
        """Return whether what it comes to depends on the text of files, not on their names alone."""
        return self._verb.takes_regex

    def outcome(self) -> Outcome:
        """Return what the condition comes to now; a command is not run."""
        if self._verb.runs_command:
            return Outcome(False, reason="a command is not run", undecided=True)
        return self._verb.evaluate(self.condition, self._view)


class _PathView(View):
    """What a path names: the text in its file under the name that the file had then, too."""

    def __init__(self, tree: PastTree, budget: Budget) -> None:
        super().__init__(tree, budget, {})
        self._past = tree

    def find(self, path: str) -> Lookup:
        """Look up a path below the name that the folder of its store had then."""
        name = self._past.then_called(path, with_store=True)
        return Lookup(name, [self.tree.locate(name)])

    def search(self, path: str, test: "Test") -> Searched:
        """Search the file that gets that name."""
        return super().search(self._past.then_called(path), test)


class _GlobWatch(_Watch):
    """A condition on a glob. files: those that it names, and what each of them came to."""

    def __init__(self, condition: Condition, tree: PastTree, budget: Budget) -> None:
        self.files = _GlobView(tree, budget)
        super().__init__(condition, self.files)


class _GlobView(View):
    """What one glob names, kept from commit to commit; only files that changed are tested again."""

    def __init__(self, tree: PastTree, budget: Budget) -> None:
        super().__init__(tree, budget, {})
        self._past = tree
        self._files: set[str] = set()
        self._folders: set[str] = set()
        # By name alone: a view belongs to one condition, so the pattern is always the same.
        self._passing: dict[str, str] = {}
        self._matches = 0  # that `count` found in all files together
        self._faults: dict[str, Unreadable] = {}
        self._no_files: set[str] = set()  # links that lead to none
        self._untested: set[str] = set()

    def note_file(self, name: str, there: bool) -> None:
        """Take a file that was written, or is gone."""
        (self._files.add if there else self._files.discard)(name)
        self._untested.add(name)

    def note_folder(self, folder: str) -> None:
        """Take a folder in which a file came or went."""
        (self._folders.add if self._past.has_folder(folder) else self._folders.discard)(folder)

    def note_links(self) -> bool:
        """Take the files that are links as written; return whether there are any."""
        linked = self._files & self._past.links
        self._untested |= linked
        return bool(linked)

    def find(self, path: str) -> Lookup:
        """Return what the glob names: of files and of folders one is enough."""
        linked = self._files & self._past.links
        spots = [self.tree.locate(name) for name in sorted(linked)]
        for names, kind in ((self._files - linked, _REGULAR), (self._folders, _DIRECTORY)):
            spots += [TreeEntry(min(names), kind)] if names else []
        return Lookup(path, [spot for spot in spots if not spot.is_missing and not spot.is_hidden], by_glob=True)

    def count(self, path: str, pattern: str) -> tuple[int, Searched]:
        """Count the matches of a pattern in all files, of which only the changed ones are searched."""
        counted = self.matches(pattern)

        def test(data: bytes) -> str:
            number = counted(data)
            self._matches += number
            return str(number)

        self._matches -= sum(int(self._passing.get(name, 0)) for name in self._untested)
        self._test_changed(test)
        return self._matches, self._none_passes(path)

    def search(self, path: str, test: "Test") -> Searched:
        self._test_changed(test)
        if self._passing:
            name = min(self._passing)
            return Searched(at=f"{name}{self._passing[name]}")
        return self._none_passes(path)

    def _none_passes(self, path: str) -> Searched:
        if self._faults:
            name = min(self._faults)
            all_faulty = len(self._faults) == len(self._files) - len(self._no_files)
            gone = all_faulty and all(one.is_gone for one in self._faults.values())
            reason = f"{name} {self._faults[name]}"
            return Searched(unanswered=Outcome(False, reason=reason, gone=gone, undecided=True))
        if len(self._files) == len(self._no_files):
            return Searched(unanswered=Outcome(False, reason=f"no file matches {path}", gone=True, undecided=True))
        return Searched(looked_at=f"{path} ({len(self._files) - len(self._no_files)} files)")

    def _test_changed(self, test: "Test") -> None:
        linked: set[str] = set()
        for name in sorted(self._untested):
            self._passing.pop(name, None)
            self._faults.pop(name, None)
            self._no_files.discard(name)
            if name not in self._files:
                continue
            spot = self.tree.locate(name) if name in self._past.links else TreeEntry(name, _REGULAR)
            is_again = spot.real != name and (spot.real in self._files or spot.real in linked)
            if is_again or not spot.is_file:  # each real file is looked at once
                self._no_files.add(name)
                continue
            linked.add(spot.real)
            try:
                where = test(self.tree.read(spot))
            except Unreadable as unseen:
                self._faults[name] = unseen
                continue
            if where is not None:
                self._passing[name] = where
        self._untested = set()
