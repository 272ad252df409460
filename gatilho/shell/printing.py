"""Programs whose output is known: what they print, which pipes, substitutions and files take on."""

from gatilho.shell import arguments, program_options, programs, quotes
from gatilho.shell.shell_state import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.flow import Reader

_MOST_NUMBERS = 64


def _operands(call: Call) -> list[arguments.Argument]:
    return [argument for argument in call.arguments[1:] if argument.approximate[:1] != "-"]


def _echo(reader: "Reader", call: Call) -> None:
    operands = _operands(call)
    flags = [argument.approximate for argument in call.arguments[1:3] if argument.approximate[:1] == "-"]
    reader.output = " ".join(map(arguments.marked_output, operands))
    reader.output_places = reader.written_by(operands)
    if any("e" in flag and flag[1:].isalpha() for flag in flags):
        from gatilho.shell.printed import unescaped_text  # few texts have escapes

        reader.output = unescaped_text(reader.output)


def _printf(reader: "Reader", call: Call) -> None:
    """Note what `printf` prints, or what `printf -v NAME` sets a variable to."""
    from gatilho.shell.printed import printed

    operands = _operands(call)
    texts = [arguments.marked_output(argument) for argument in operands]
    reader.output_places = reader.written_by(operands)
    is_set = len(texts) > 1 and call.arguments[1].approximate == "-v"
    if is_set:
        text = printed(texts[1:])
        known = None if arguments.UNKNOWN in text else (arguments.literal_pattern(text),)
        reader.state = reader.state.having({texts[0]: known})
    reader.output = printed(texts) if not is_set else None


def _cat(reader: "Reader", call: Call) -> None:
    operands = _operands(call)
    for kind, argument in program_options.reads(operands):
        reader.touch(kind, argument)
    held = [reader.content_of(one) or (reader.names_in(one) or "", ()) for one in operands]
    if not operands and call.fed is None and call.fed_file is not None:
        held = [(reader.names_in(call.fed_file) or "", ())]
    reader.output, reader.output_places = call.fed, call.places
    if held:
        reader.output = "\n".join(text for text, _ in held)
        reader.output_places = tuple(place for _, places in held for place in places)


def _pwd(reader: "Reader", call: Call) -> None:
    known = reader.state.variables.get("PWD")
    reader.output = quotes.unescape(known[0]) if known else None


def _seq(reader: "Reader", call: Call) -> None:
    """Note the numbers that `seq` prints."""
    texts = [one.approximate for one in call.arguments[1:]]
    if not 0 < len(texts) < 4 or not all(text.isdecimal() and len(text) < 6 for text in texts):
        return
    numbers = [*map(int, texts)]
    first, step = numbers[0] if len(numbers) > 1 else 1, numbers[1] if len(numbers) == 3 else 1
    if step and (numbers[-1] - first) // step < _MOST_NUMBERS:
        reader.output = "\n".join(map(str, range(first, numbers[-1] + 1, step)))


def _decoded(reader: "Reader", call: Call) -> None:
    """Note what `base64 -d` and `xxd -r -p` print of a text that is known."""
    is_hex = call.arguments[0].approximate.endswith("xxd")
    valued = "cglosnR" if is_hex else "w"
    options, operands = program_options.options_and_operands(call.arguments[1:], valued, "wrap")
    for kind, argument in program_options.reads(operands[:1] if is_hex else operands):
        reader.touch(kind, argument)
    for argument in operands[1:2] if is_hex else ():
        reader.touch("write", argument)
    given = {name for name, _ in options}
    held = (call.fed, call.places) if not operands else reader.content_of(operands[0]) or (None, ())
    if held[0] is None or not (given >= {"r", "p"} if is_hex else given & {"d", "D", "decode"}):
        return
    from binascii import a2b_base64

    try:
        data = bytes.fromhex(held[0]) if is_hex else a2b_base64(held[0].encode())
        reader.output = data.decode("utf-8", "replace")
    except ValueError:
        pass


def _part_of_path(reader: "Reader", call: Call) -> None:
    """Note what `basename` and `dirname` make of a path; the others print it as it is."""
    name = programs.name_of(call.arguments[0])
    operands = [one.approximate for one in _operands(call)]
    if name in ("basename", "dirname") and operands:
        folder, _, last = operands[0].rstrip("/").rpartition("/")
        operands = [last.removesuffix("".join(operands[1:2])) if name == "basename" else folder or "."]
    reader.output = " ".join(operands) or None


def print_names(reader: "Reader", name: str, call: Call) -> None:
    """Note the names that a program prints, and what `tee` keeps of them."""
    from gatilho.shell import listings  # only where names may be printed

    rest = call.arguments[1:]
    reader.output, reader.output_places = listings.printed_names(name, rest, call.fed), call.places
    if name == "tee" and call.fed:
        added = any(one.approximate in ("-a", "--append") for one in rest)
        for argument in rest:
            path = reader.state.path_of(argument)
            if path is not None:
                reader.hold(path, call.fed, call.places, added)


PRINTERS = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "pwd": _pwd,
    "seq": _seq,
    "base64": _decoded,
    "xxd": _decoded,
}
OF_PATHS = dict.fromkeys(("realpath", "readlink", "basename", "dirname"), _part_of_path)
"""They may read the files besides."""
