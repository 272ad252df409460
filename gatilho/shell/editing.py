"""Programs that edit the files named to them: sed, Perl and Ruby in place, editors, and those that rename."""

from gatilho.shell.arguments import Argument
from gatilho.shell.program_options import Found, Options, options_and_operands, reads, values


def _sed(arguments: list[Argument]) -> Found:
    # BSD's sed wants the suffix of `-i` as an argument of its own, where an empty one is common.
    kept = [
        argument
        for at, argument in enumerate(arguments)
        if not (argument.text == "" and at and arguments[at - 1].approximate.startswith("-"))
    ]
    options, operands = options_and_operands(kept, "ef", "expression file", glued="iIl")
    given = {name for name, _ in options}
    scripts = values(options, "e", "expression")
    if not given & {"e", "f", "expression", "file"}:
        scripts, operands = operands[:1], operands[1:]
    files: Found = [("read", file) for file in values(options, "f", "file")]
    if any("w" in script.approximate.lower() for script in scripts):
        from gatilho.shell.scripts import files_of_sed

        files += [("write", Argument(file)) for script in scripts for file in files_of_sed(script.approximate)]
    return files + _edited_in_place(operands, options, "i", "I", "in-place")


def _perl(arguments: list[Argument]) -> Found:
    """Read a call of Perl or Ruby: `-i` anywhere in a cluster edits in place.

    `-e` holds the program, else the first operand does.
    """
    options, operands = options_and_operands(arguments, "eE", glued="iMmIFx")
    given = {name for name, _ in options}
    edited = operands if given & {"e", "E"} else operands[1:]
    scripts = operands[: len(operands) - len(edited)]
    return reads(scripts) + _edited_in_place(edited, options, "i")


def _edited_in_place(files: list[Argument], options: Options, *names: str) -> Found:
    """Return what is done to files, with the copies that an edit in place leaves beside them, as the last option says.

    names: of the options that ask for it.
    """
    given = [value for name, value in options if name in names]
    suffix = given[-1].approximate if given and given[-1] else ""
    copied = [one for one in files if suffix and not one.glob and "*" not in suffix]
    kind = "write" if given else "read"
    return [(kind, one) for one in files] + [("write", Argument(one.approximate + suffix)) for one in copied]


def _edited(arguments: list[Argument]) -> Found:
    """Read a call of a line or screen editor: it writes its files, unless it was called to look at them."""
    kept: list[Argument] = []
    looks = False
    waiting = iter(arguments)
    for argument in waiting:
        text = argument.approximate
        if text[:1] == "-" and len(text) > 1:
            looks = looks or text in ("-R", "-M", "-Z", "-d")
            if text[-1:] in "cSuUiT" or text == "--cmd":  # as in `-sc TEXT`
                next(waiting, None)
        elif text[:1] != "+":
            kept.append(argument)
    return [("read" if looks else "write", one) for one in kept]


def _renamed(arguments: list[Argument]) -> Found:
    """Read a call of `rename`: Perl's takes one expression first, the one in util-linux two texts."""
    options, operands = options_and_operands(arguments, "e", "expr")
    given = any(name in ("e", "expr") for name, _ in options)
    is_plain = operands and all(char.isalnum() or char in "._- " for char in operands[0].approximate)
    files = operands if given else operands[2 if is_plain else 1 :]
    if any(name in ("n", "nono", "no-act") for name, _ in options):
        return reads(files)
    return [("write", one) for one in files]


def _moved_by_pattern(arguments: list[Argument]) -> Found:
    """Read a call of `mmv` or `zmv`, which expand the first pattern themselves."""
    operands = options_and_operands(arguments, "")[1]
    return [("write", Argument(one.approximate.replace("(", "").replace(")", ""), True)) for one in operands[:1]]


EDITORS = {
    "sed": _sed,
    **dict.fromkeys(("perl", "ruby"), _perl),
    **dict.fromkeys(("vim", "ed"), _edited),
    "rename": _renamed,
    **dict.fromkeys(("mmv", "zmv"), _moved_by_pattern),
}
