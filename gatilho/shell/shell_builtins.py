"""What the shell itself does where a command line calls it: moves, variables, arguments, aliases."""

from gatilho.shell import programs, quotes
from gatilho.shell.arguments import LISTED, TRACKED, Assigned, literal_pattern
from gatilho.shell.shell_state import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.flow import Reader

_MOST_LINES = 64
_MARKS = frozenset((LISTED, TRACKED))
# What `read` sets without a name, and `mapfile`.
_DEFAULT_NAMES = ("REPLY", "MAPFILE")


def _cd(reader: "Reader", call: Call) -> None:
    name = programs.name_of(call.arguments[0])
    operands = [one for one in call.arguments[1:] if one.approximate[:1] != "-" or one.approximate == "-"]
    folder = reader.state.folder(operands[0]) if len(operands) == 1 else None
    stack = reader.state.stack
    if name == "popd":
        folder, stack = (stack[-1], stack[:-1]) if stack and not operands else (None, ())
    elif name == "pushd":
        stack = (*stack[-50:], reader.state.cwd)
    elif operands and operands[0].text == "-":
        folder = reader.state.previous
    elif not operands and name == "cd":
        folder = quotes.unescape(reader.state.variables.get("HOME", ("",))[0]) or None
    # `a || cd b` may not have moved.
    if reader.levels[-1].alternative:
        folder = None
    reader.state = reader.state.entered(folder, stack)


def _declare(reader: "Reader", call: Call) -> None:
    name = programs.name_of(call.arguments[0])
    values: Assigned = {}
    options = [one.approximate for one in call.arguments[1:] if one.approximate[:1] == "-"]
    refers = name != "export" and any("n" in option for option in options)  # to another variable
    for argument in call.arguments[1:]:
        variable, equals, text = argument.approximate.partition("=")
        if equals:
            values[variable] = None if argument.text is None or refers else (literal_pattern(text),)
        elif variable in reader.state.variables:
            values[variable] = reader.state.variables[variable]
    reader.state = reader.state.having(values, export=name == "export")


def _unset(reader: "Reader", call: Call) -> None:
    reader.state = reader.state.having(dict.fromkeys(_names(call)))


def _read(reader: "Reader", call: Call) -> None:
    """Set the names of `read` and `mapfile` to what they are fed, as far as it is known."""
    values: Assigned = dict.fromkeys(_names(call))
    fed = call.fed or (reader.names_in(call.fed_file) if call.fed_file is not None else None) or ""
    lines = fed.split("\n")
    if len(values) < 2 and fed and len(lines) <= _MOST_LINES:
        # A loop reads one line after the other, each of them the value of the name.
        words = [word for line in lines for word in (line.split() if LISTED in line else [line]) if word]
        marked = tuple(one if one[0] in _MARKS else literal_pattern(one) for one in words)
        values = dict.fromkeys(values or _DEFAULT_NAMES, marked)
    elif fed and len(lines) == 1 and _MARKS.isdisjoint(fed):
        mark = quotes.unescape((call.assigned.get("IFS") or ("",))[0]).strip() or None
        parts = fed.split(mark, len(values) - 1)
        values.update((name, (literal_pattern(part.strip()),)) for name, part in zip(values, parts))
    reader.state = reader.state.having({**dict.fromkeys(_DEFAULT_NAMES), **values})


def _names(call: Call) -> list[str]:
    """Return the variables that a call names; the empty text after `read -d` names nothing."""
    return [one.approximate for one in call.arguments[1:] if one.approximate and one.approximate[0] != "-"]


def _set(reader: "Reader", call: Call) -> None:
    texts = [argument.approximate for argument in call.arguments]
    if "--" in texts:
        reader.state = reader.state.given(call.arguments[texts.index("--") + 1 :])


def _shift(reader: "Reader", call: Call) -> None:
    number = call.arguments[1].approximate if call.arguments[1:] else "1"
    if number.isdecimal():
        reader.state = reader.state.numbered(reader.state.variables.get("@", ())[int(number[:3]) :])


def _alias(reader: "Reader", call: Call) -> None:
    """Read an alias as a function that hands its arguments on."""
    for argument in call.arguments[1:]:
        name, equals, text = argument.approximate.partition("=")
        if equals and argument.text is not None:
            body = text + ' "$@"'
            reader.define(body, name, 0, len(body))


BUILTINS = {
    **dict.fromkeys(("cd", "pushd", "popd"), _cd),
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), _declare),
    **dict.fromkeys(("read", "mapfile", "readarray"), _read),
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "alias": _alias,
}
