"""Options and operands of a program's arguments, and the files that the arguments of an unknown program may name."""

from gatilho.shell.arguments import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Found = list[tuple[str, Argument]]
Options = list[tuple[str, Argument | None]]


def options_and_operands(
    arguments: list[Argument], short: str, long: str = "", glued: str = ""
) -> tuple[Options, list[Argument]]:
    """Split arguments as getopt does: (option name, its value or None) pairs, and the operands.

    short: letters of the options that take a value; long: names of those that do, with blanks between.
    glued: letters of those whose value is the rest of the word, also where nothing is left of it (`-i.bak`, `-i`).
    """
    valued = frozenset(long.split())
    options: Options = []
    operands: list[Argument] = []
    waiting = iter(arguments)
    for argument in waiting:
        text = argument.approximate
        if text == "--":
            operands.extend(waiting)
        elif text.startswith("--"):
            name, equals, value = text[2:].partition("=")
            if equals:
                options.append((name, Argument(value, argument.glob)))
            else:
                options.append((name, next(waiting, None) if name in valued else None))
        elif len(text) > 1 and text[0] == "-":
            _cluster(argument, short, glued, waiting, options)
        else:
            operands.append(argument)
    return options, operands


def _cluster(argument: Argument, short: str, glued: str, waiting: "Iterator[Argument]", options: Options) -> None:
    """Read letters after one dash; the first that takes a value takes the rest of the word or the next one."""
    letters = argument.approximate[1:]
    for at, letter in enumerate(letters[:20]):
        if letter in short or letter in glued:
            rest = letters[at + 1 :]
            is_here = rest or letter in glued
            options.append((letter, Argument(rest, argument.glob) if is_here else next(waiting, None)))
            return
        options.append((letter, None))


def values(options: Options, *names: str) -> list[Argument]:
    """Return the values that were given to the options of these names."""
    return [value for name, value in options if value is not None and name in names]


def reads(arguments: list[Argument]) -> Found:
    """Return every argument, and every value after a `=`, as the name of a file that is read."""
    found: Found = []
    for argument in arguments:
        text = argument.approximate
        name, equals, value = text.partition("=")
        if equals and "/" not in name:
            found.append(("read", Argument(value, argument.glob)))
        elif not text.startswith("-"):
            found.append(("read", argument))
            file, node, _ = text.partition("::")  # a test's name, as in tests/test_a.py::test_x
            if node:
                found.append(("read", Argument(file, argument.glob)))
    return found
