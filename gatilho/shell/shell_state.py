"""What a shell knows at one moment: its folder and the variables that were set, and what of it a bracket gives back."""

from gatilho.shell.arguments import UNKNOWN, Argument, Assigned, Variables, literal_pattern, marked_text
from gatilho.shell.outputs import FOLDER, PROJECT_VARIABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.prose import Places

_MOST_VARIABLES = 256
_LONGEST_FOLDER = 4096  # PATH_MAX on Linux
_FROM_START = "\x02"  # in front of what $PWD gives: later moves do not concern it

_ALWAYS = ("PWD", "OLDPWD", "HOME", *PROJECT_VARIABLES)
_AT_START: Variables = {
    "PWD": (_FROM_START + ".",),
    **{name: (f"{FOLDER}${name}{FOLDER}",) for name in ("HOME", *PROJECT_VARIABLES)},
}


def seen_from_start(path: str) -> str:
    """Return a path, as seen from where the command line began, as the text that means it in any folder."""
    return _FROM_START + path


class ShellState:
    """cwd and previous: relative to where the command line began ("" there), None where not known; stack: of pushd."""

    __slots__ = ("cwd", "previous", "stack", "variables", "exported", "_made")

    def __init__(
        self,
        cwd: str | None = "",
        previous: str | None = None,
        stack: tuple[str | None, ...] = (),
        variables: Variables | None = None,
        exported: frozenset[str] = frozenset(),
    ) -> None:
        self.cwd = cwd
        self.previous = previous
        self.stack = stack
        self.variables: Variables = dict(_AT_START) if variables is None else variables
        self.exported = exported
        # The states that variables made of this one: what is equal is the same object, as in one loop after the other.
        self._made: dict[object, ShellState] = {}

    def join(self, text: str) -> str | None:
        """Return a path as seen from where the command line began; None where the folder is not known."""
        if text.startswith(_FROM_START):
            return text[1:]
        if text.startswith(("/", FOLDER)) or (text[1:2] == ":" and text[2:3] in ("/", "\\")):
            return text
        if self.cwd is None:
            return None
        return f"{self.cwd}/{text}" if self.cwd else text

    def path_of(self, argument: Argument) -> str | None:
        """Return the one path that an argument names; None where it is not known."""
        return self.join(argument.text) if argument.text and not argument.glob else None

    def folder(self, argument: Argument) -> str | None:
        """Return the folder that an argument names, without a slash at its end; None where it is not known."""
        path = self.path_of(argument)
        return path if path is None else path.rstrip("/") or "/"

    def entered(self, folder: str | None, stack: tuple[str | None, ...] | None = None) -> "ShellState":
        """Return the state in another folder, None for one that is not known."""
        if folder is not None and len(folder) > _LONGEST_FOLDER:
            folder = None
        variables = dict(self.variables)
        before = variables.pop("PWD", None)
        if before is None:
            variables.pop("OLDPWD", None)
        else:
            variables["OLDPWD"] = before
        if folder is not None:
            # A relative folder is marked: it is seen from the start, and not from where `$PWD` is used.
            variables["PWD"] = (
                ("" if folder.startswith(("/", FOLDER)) else _FROM_START) + literal_pattern(folder or "."),
            )
        return ShellState(folder, self.cwd, self.stack if stack is None else stack, variables, self.exported)

    def having(self, values: Assigned, export: bool = False) -> "ShellState":
        """Return the state with variables set; None makes one unknown."""
        key = (*values.items(), export)
        if key in self._made:
            return self._made[key]
        variables = dict(self.variables)
        for name, known in values.items():
            if known is None or (name not in variables and len(variables) >= _MOST_VARIABLES):
                variables.pop(name, None)
            else:
                variables[name] = known
        exported = self.exported | frozenset(values) if export else self.exported
        made = self._made[key] = ShellState(self.cwd, self.previous, self.stack, variables, exported)
        return made

    def inherited(self, prefixed: Assigned) -> "ShellState":
        """Return what another shell that is started here knows:
        exported variables and those set in front of the command.
        """
        kept = {name: known for name, known in self.variables.items() if name in self.exported or name in _ALWAYS}
        return ShellState(self.cwd, None, (), kept, self.exported).having(prefixed, export=True)

    def given(self, operands: list[Argument]) -> "ShellState":
        """Return the state of a script with these arguments: `$1`, `$@`."""
        return self.numbered(tuple(marked_text(one) for one in operands))

    def numbered(self, texts: tuple[str, ...]) -> "ShellState":
        """Return the same, for marked texts."""
        values: Assigned
        values = {str(at): (text,) for at, text in enumerate(texts[:9], 1) if UNKNOWN not in text}
        together = tuple(text for text in texts if UNKNOWN not in text)
        return self.having({**dict.fromkeys("123456789"), **values, "@": together or None, "*": together or None})

    def without_changes_since(self, entry: "ShellState") -> "ShellState":
        """Forget the variables that may or may not have been set since then."""
        if self.variables is entry.variables:
            return self
        kept = {
            name: known
            for name, known in self.variables.items()
            # Both follow the folder, about which the caller decides.
            if name in ("PWD", "OLDPWD") or entry.variables.get(name) == known
        }
        is_entry = (self.cwd, self.previous, self.stack, kept, self.exported) == (
            entry.cwd, entry.previous, entry.stack, entry.variables, entry.exported,
        )  # fmt: skip
        return entry if is_entry else ShellState(self.cwd, self.previous, self.stack, kept, self.exported)


class Level:
    """One bracket that is open: what was known where it, its current list and its current pipeline began.

    fed: what each of its commands may read, and where that is written. output: what its last command that printed
    something known printed, likewise.
    """

    __slots__ = ("kind", "entry", "list", "pipeline", "piped", "alternative", "folders", "fed", "output")

    def __init__(self, kind: str, state: ShellState, fed: "tuple[str | None, Places]" = (None, ())) -> None:
        self.kind = kind
        self.fed = fed if kind in ("(", "{") else (None, ())
        self.entry = self.list = self.pipeline = state
        self.piped = False
        self.alternative = False
        self.folders: set[str | None] = set()
        self.output: tuple[str | None, Places] = None, ()


class Call:
    """One simple command about to run: its arguments from the program on, what it is fed, the variables before it.

    places: where the text that it is fed is written.
    """

    __slots__ = ("arguments", "fed", "fed_file", "assigned", "places")

    def __init__(
        self,
        arguments: list[Argument],
        fed: str | None,
        fed_file: Argument | None,
        assigned: Assigned,
        places: "Places" = (),
    ) -> None:
        self.places = places
        self.arguments = arguments
        self.fed = fed
        self.fed_file = fed_file
        self.assigned = assigned
