"""Programs in an argument, in the languages of sed, awk, Python, Node, Perl, Ruby and PHP: the files that they write.

Only names that are spelled out as one text are seen, in the calls that are known here, and commands that are handed to
a shell in the same way.
"""

from itertools import islice

from gatilho.shell.arguments import LISTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    # "text", "word" or "mark", and what it is
    Token = tuple[str, str]

# Calls that write the file in their first argument, whatever is before their name.
_WRITES = frozenset(
    """writeFile writeFileSync appendFile appendFileSync createWriteStream unlink unlinkSync rmSync rmdirSync rmtree
    truncateSync ftruncate writeTextFile writeTextFileSync removeSync outputFile outputFileSync file_put_contents
    binwrite rm_f rm_rf utimesSync chmodSync""".split()  # noqa: SIM905
)
# The same, where this much is before it, or nothing is.
_WRITES_OF = frozenset(
    """File.write IO.write File.delete FileUtils.rm FileUtils.touch Bun.write os.remove os.truncate os.chmod os.mkfifo
    os.rmdir fs.rm fs.truncate fs.chmod Deno.remove Deno.truncate remove truncate os.removedirs touch fsp.rm
    fs.promises.rm""".split()  # noqa: SIM905
)
_MOVES = frozenset(
    """os.rename os.replace os.renames shutil.move rename renameSync fs.rename fsp.rename File.rename FileUtils.mv
    Deno.rename Deno.renameSync move fs.renameSync""".split()  # noqa: SIM905
)
_COPIES = frozenset(
    """copyFile copyFileSync copyfile copy2 shutil.copy copy FileUtils.cp cp cpSync symlink symlinkSync link linkSync
    os.symlink os.link File.symlink FileUtils.ln_s copytree""".split()  # noqa: SIM905
)
_OPENS = frozenset(("open", "openSync", "fopen", "sysopen"))
_PATHS = frozenset(("Path", "PosixPath", "Pathname", "File"))
_OF_PATH = frozenset(
    """write_text write_bytes unlink touch rename replace rmdir write delete symlink_to hardlink_to chmod
    binwrite""".split()  # noqa: SIM905
)
_COMMANDS = frozenset(
    """system exec popen run call check_call check_output Popen spawn spawnSync execSync execFile execFileSync
    shell_exec passthru getoutput getstatusoutput spawnlp execvp proc_open""".split()  # noqa: SIM905
)
# What such a call may be of, with names that others have, too: `/x/.exec(text)` searches.
_RUNNERS = frozenset(("", "subprocess", "sp", "os", "child_process", "cp", "Kernel"))
# Arguments by name, and what Perl has in front of the name of a file.
_NAMED = ("mode", "flags", "encoding")
_NAMED_FIRST = ("file", *_NAMED)
_HANDLES = ("my", "FH", "F", "OUT", "fh")
_LONGEST = 100_000
_LONGEST_FORM = 200
# Calls that give the names which a pattern means; some are methods of a folder.
_GLOBS = frozenset(("sync", "globSync", "glob", "iglob"))
# The list of what code is given, with the place of its first item; calls that give the folder that it runs in.
_GIVEN = {"sys.argv": 1, "process.argv": 1, "ARGV": 0}
_HERE = frozenset(("process.cwd", "os.getcwd", "Path.cwd", "pathlib.Path.cwd", "Deno.cwd", "Dir.pwd"))
_CLOSED = ("mark", "]")
_BEGINS = (("word", "def"), ("word", "class"), ("word", "function"))
_GONE = ("", "")
_MOST_REPLACED = 20_000  # tokens in rounds of loops


def files_of_sed(script: str) -> "Iterator[str]":
    """Yield the files that `w` commands of a sed script, or `w` flags of its `s`, write: each the rest of its line."""
    at = 0
    while at < len(script):
        char = script[at]
        at += 1
        if char in "/\\sy":  # an address, or a command with two parts between marks
            mark, at = (char, at) if char == "/" else (script[at : at + 1], at + 1)
            at = _behind_mark(script, at, mark, char != "y")
            if char not in "sy":
                continue
            at = _behind_mark(script, at, mark, False)
            while script[at : at + 1] and script[at] in "gpiIeMm0123456789":
                at += 1
            char = script[at : at + 1]
            at += char == "w"
        if char in ("w", "W", "r", "R", "a", "i", "c", "#"):
            behind = _line_end(script, at)
            while char in "aic" and script[behind - 1] == "\\" and behind < len(script):
                behind = _line_end(script, behind + 1)
            if char in "wW":
                yield script[at:behind].strip()
            at = behind
        elif char in ("b", "t", "T", ":"):  # a label
            while script[at : at + 1] not in ("", ";", "\n"):
                at += 1


def _behind_mark(script: str, at: int, mark: str, is_pattern: bool) -> int:
    while at < len(script) and script[at] != mark:
        if script[at] == "[" and is_pattern:  # in brackets a mark is a letter
            at = max(at, script.find("]", at + (3 if script[at + 1 : at + 2] == "^" else 2)))
        at += 2 if script[at] == "\\" else 1
    return at + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def files_of_awk(program: str, held: "Mapping[str, list[str]]") -> "Iterator[str]":
    """Yield the files into which an awk program prints, where a text names them, or a variable; held: their values."""
    tokens = list(_tokens(program))
    prints, depth = False, 0  # in brackets `>` compares
    for at, (kind, what) in enumerate(tokens):
        if kind == "word":
            prints, depth = (True, 0) if what in ("print", "printf") else (prints, depth)
        elif kind == "mark" and what in ";{}\n":
            prints = False
        elif kind == "mark" and what in "()":
            depth += 1 if what == "(" else -1
        elif prints and not depth and (kind, what) == ("mark", ">"):
            for kind, text in tokens[at + 1 : at + 2]:
                yield from [text] if kind == "text" else held.get(text, ())


def effects_of_code(
    code: str, with_ticks: bool, operands: "tuple[str, ...]" = ()
) -> "tuple[list[str], list[list[str]]]":
    """Return the files that code writes, and the commands that it runs: one text for a shell, or its words.

    with_ticks: text in backticks is a command, elsewhere it is a text. operands: what the code is given.
    """
    tokens = [("text", what) if kind == "tick" and not with_ticks else (kind, what) for kind, what in _tokens(code)]
    tokens = _with_values(_folded(_with_operands(tokens, operands)))
    found = [
        _effects(_folded(one), with_ticks)
        for one in [*islice(_rounds(tokens), 1 + _MOST_REPLACED // (len(tokens) + 1))] or [tokens]
    ]
    return list(dict.fromkeys(file for files, _ in found for file in files)), [one for _, made in found for one in made]


def _with_operands(tokens: "list[Token]", operands: tuple[str, ...]) -> "list[Token]":
    """Return the tokens with texts in the place of what code is given, and of the folder that it runs in."""
    found: list[Token] = []
    for at, (kind, what) in enumerate(tokens):
        index = tokens[at + 2][1] if kind == "word" and what in _GIVEN and tokens[at + 3 : at + 4] == [_CLOSED] else ""
        if index.isdecimal() and int(index) - _GIVEN[what] in range(len(operands)):
            tokens[at + 1 : at + 4] = [_GONE] * 3
            found.append(("text", operands[int(index) - _GIVEN[what]]))
        elif kind == "word" and what in _HERE:
            tokens[at + 1 : at + 3] = [_GONE] * 2
            found.append(("text", "."))
        elif tokens[at] != _GONE:
            found.append((kind, what))
    return found


def _folded(tokens: "list[Token]") -> "list[Token]":
    """Return the tokens with one text in the place of those that are joined: by `+`, by `/` after a path, in calls."""
    found: list[Token] = []
    folders: dict[str, str] = {}  # by the variables that hold them as paths
    at = 0
    while at < len(tokens):
        kind, what = tokens[at]
        at += 1
        if kind == "text" and tokens[at : at + 1] in ([("mark", "%")], [("word", ".format")]):
            what, at = _filled(what, tokens, at)
        name = what.rpartition(".")[2]
        if kind == "word" and ((name in ("join", "resolve") and "path" in what) or name in _PATHS):
            given, behind = _given(tokens, at)
            if given and tokens[behind : behind + 1] == [("mark", ")")]:
                if name not in _PATHS:
                    kind, what, at = "text", "/".join(given), behind + 1
                else:
                    if found[-1:] == [("mark", "=")] and len(found) > 1 and not _has_method(tokens, behind + 1):
                        folders[found[-2][1]] = "/".join(given)
                    found += [(kind, what), ("mark", "("), ("text", "/".join(given))]
                    at = behind
                    continue
        elif kind == "word" and what in folders and tokens[at : at + 1] == [("mark", "/")]:
            found += [("word", "Path"), ("mark", "("), ("text", folders[what]), ("mark", ")")]
            continue
        first, second, last = [_GONE, _GONE, _GONE, *found[-3:]][-3:]
        if kind == "text" and last[1] == "+" and second[0] == "text":
            found[-2:] = [("text", second[1] + what)]
        elif kind == "text" and (second[1], last[1]) == (")", "/") and first[0] == "text":
            found[-3:] = [("text", f"{first[1]}/{what}"), ("mark", ")")]
        elif kind == "text" and last[1] == "/" and second[0] == "text":
            found[-2:] = [("word", "Path"), ("mark", "("), ("text", f"{second[1]}/{what}"), ("mark", ")")]
        else:
            found.append((kind, what))
    return found


def _filled(form: str, tokens: "list[Token]", at: int) -> tuple[str, int]:
    """Return a text with what `%` or `format` puts into it, and the place after that; unchanged where it is unknown."""
    hole = "%s" if tokens[at][1] == "%" else "{}"
    given, behind = _given(tokens, at + 1)
    if tokens[at + 1 : at + 2] == [("mark", "(")]:
        behind += 1
        if tokens[behind - 1 : behind] != [("mark", ")")]:
            return form, at
    else:
        given, behind = given[:1], at + 2
    pieces = form.split(hole)
    if len(pieces) != len(given) + 1 or not given:
        return form, at
    return "".join(piece + value for piece, value in zip(pieces, [*given, ""])), behind


def _rounds(tokens: "list[Token]") -> "Iterator[list[Token]]":
    """Yield the tokens once for each text that a loop goes over or a function is called with."""
    lists: dict[str, list[str]] = {}
    for at, (kind, what) in enumerate(tokens):
        after = [one for _, one in tokens[at + 1 : at + 3]]
        if kind == "word" and after in (["=", "["], ["=", "("]):
            lists[what] = _given(tokens, at + 2)[0]
        elif kind == "word" and after == ["=", "{"]:
            pairs = zip(tokens[at + 3 : at + 200], tokens[at + 4 : at + 201])
            lists[what + ".items"] = [one for (of, one), mark in pairs if of == "text" and mark == ("mark", ":")]
        elif kind == "word" and what in ("def", "function") and after[1:] == ["("] and tokens[at + 3 : at + 4]:
            name, parameter = after[0], tokens[at + 3][1]
            called = [_given(tokens, place + 1)[0][:1] for place, one in enumerate(tokens) if one == ("word", name)]
            end = next((at for at in range(at + 1, len(tokens)) if tokens[at] in _BEGINS), len(tokens))
            for value in (one for given in called for one in given):
                yield tokens[:at] + _replaced(tokens[at:end], parameter, value) + tokens[end:]
        elif kind == "word" and what in ("in", "of") and at > 1 and tokens[at - 1][0] == "word":
            call = tokens[at + 1][1] if tokens[at + 1 : at + 2] else ""
            name = tokens[at - 3][1] if call.endswith(".items") and at > 2 else tokens[at - 1][1]
            for value in lists.get(call) or _looped(tokens, at + 1, call):
                yield _replaced(tokens, name, value)


def _looped(tokens: "list[Token]", at: int, call: str) -> list[str]:
    """Return the texts of a list, or one that stands for the names which a pattern or a folder means."""
    values, behind = _given(tokens, at)
    name = call.rpartition(".")[2]
    if values or name not in (*_GLOBS, *_PATHS, "listdir"):
        return values
    given, behind = _given(tokens, at + 1)
    method = tokens[behind + 1][1].lstrip(".") if name in _PATHS and tokens[behind + 1 : behind + 2] else ""
    inner = _given(tokens, behind + 2)[0] if method in ("glob", "rglob", "iterdir") else []
    last = f"/{'**/' if method == 'rglob' else ''}{inner[0]}" if inner else "/*" if method or name == "listdir" else ""
    return [LISTED + given[0] + last] if given else []


def _replaced(tokens: "list[Token]", name: str, value: str) -> "list[Token]":
    """Return the tokens with a text in the place of a variable, a call of `Path` in front of the methods of it."""
    found: list[Token] = []
    for kind, what in tokens:
        first, dot, rest = what.partition(".")
        if kind != "word" or first != name:
            found.append((kind, what))
        elif dot:
            found += [("word", "Path"), ("mark", "("), ("text", value), ("mark", ")"), ("word", "." + rest)]
        else:
            found.append(("text", value))
    return found


def _effects(tokens: "list[Token]", with_ticks: bool) -> "tuple[list[str], list[list[str]]]":
    files: list[str] = []
    commands: list[list[str]] = []
    folder = ""
    paths: dict[str, str] = {}  # by the variables that hold them
    for at, (kind, callee) in enumerate(tokens):
        if kind == "tick" and with_ticks:
            commands.append([callee])
        if kind != "word":
            continue
        given, behind = _given(tokens, at + 1)
        if callee in ("os.chdir", "process.chdir") and given:
            folder = given[0].rstrip("/") + "/"
        if callee[0] == "." and at > 1 and tokens[at - 1][1] == ")" and tokens[at - 2][0] == "text":
            callee = tokens[at - 2][1].rpartition(":")[2] + callee  # `require("node:fs").rm(…)`
        receiver, _, name = callee.replace("::", ".").rpartition(".")
        if receiver in paths and _is_written([("word", "." + name), *tokens[at + 1 : at + 9]], 0):
            files.append(paths[receiver])
        if not given:
            continue
        if name in _OPENS:
            files += _opened(given)
        elif name in _WRITES or callee in _WRITES_OF:
            files.append(given[0])
        elif callee in _MOVES:
            files += given[:2]
        elif name in _COPIES and (callee == name or callee in _COPIES or name not in ("copy", "link")):
            files += given[1:2]
        elif callee == "fileinput.input" and ("word", "inplace") in tokens:
            files.append(given[0])
        elif name in _PATHS:
            files += given[:1] if _is_written(tokens, behind) else []
            if at > 1 and tokens[at - 1] == ("mark", "=") and not _has_method(tokens, behind + 1):
                paths[tokens[at - 2][1]] = given[0]
        elif name in _COMMANDS and (name not in ("exec", "run", "call") or (receiver in _RUNNERS and callee[0] != ".")):
            commands.append(given)
    return [file if file[0] in ("/", LISTED) else folder + file for file in files if file], commands


def _with_values(tokens: "list[Token]") -> "list[Token]":
    """Return the tokens with the texts in the place of the variables that they are assigned to."""
    held = {
        name: value
        for (kind, name), (_, mark), (given, value) in zip(tokens, tokens[1:], tokens[2:])
        if kind == "word" and mark == "=" and given == "text"
    }
    found = []
    for (kind, what), after in zip(tokens, [*tokens[1:], ("", "")]):
        is_value = kind == "word" and what in held and after[1] not in ("=", "(")
        if kind == "text" and "{" in what and len(what) < _LONGEST_FORM:
            for name in dict.fromkeys(piece.partition("}")[0] for piece in what.split("{")[1:]):
                if name in held:
                    what = what.replace("${" + name + "}", held[name]).replace("{" + name + "}", held[name])
        found.append(("text", held[what]) if is_value else (kind, what))
    return found


def _given(tokens: "list[Token]", at: int) -> tuple[list[str], int]:
    """Return the texts that a call begins with, and where it ends as far as they go; of a list those in it."""
    given: list[str] = []
    while at < len(tokens) and len(given) < 20:
        kind, what = tokens[at]
        if kind == "text":
            given.append(what)
        elif not given and what in _NAMED_FIRST and tokens[at + 1 : at + 2] == [("mark", "=")]:
            at += 1
        elif kind == "word" and (what in _NAMED if given else what[:1] == "$" or what in _HANDLES):
            pass
        elif kind != "mark" or what not in "(,[=" or (what == "=" and not given):
            break
        at += 1
    return given, at


def _opened(given: list[str]) -> list[str]:
    """Return the file that a call of `open` writes, by its mode; Perl has it before the name."""
    first, *rest = given
    mode = first.lstrip("+").strip()
    if mode[:1] == ">" or first[:2] in ("+<", "+>"):
        name = first.lstrip("+<> ").partition(":")[0] if not rest else rest[0]
        return [name] if name else []
    written = rest and len(rest[0]) < 5 and set(rest[0]) & set("wax+") and set(rest[0]) <= set("rwaxbtcs+")
    return [first] if written else []


def _has_method(tokens: "list[Token]", at: int) -> bool:
    """Return whether a call gives what a method of its result does, and not the path itself."""
    kind, what = tokens[at] if at < len(tokens) else ("", "")
    return kind == "word" and what[0] == "." and what not in (".resolve", ".absolute", ".expanduser")


def _is_written(tokens: "list[Token]", at: int) -> bool:
    """Return whether the method that is called of a path writes it."""
    words = [what for kind, what in tokens[at : at + 3] if kind == "word"]
    method = words[0].lstrip(".") if words and words[0][0] == "." else ""
    if method == "open":
        return bool(_opened(["x", *_given(tokens, at + 2)[0]]))
    return method in _OF_PATH


def _tokens(code: str) -> "Iterator[Token]":
    at, size = 0, min(len(code), _LONGEST)
    while at < size:
        char = code[at]
        if char in "'\"`":
            mark = char * 3 if code.startswith(char * 3, at) and char != "`" else char
            text, at = _text(code, at + len(mark), mark)
            yield ("tick" if mark == "`" else "text"), text
        elif char.isalnum() or char in "_$.":
            end = at
            while end < size and (code[end].isalnum() or code[end] in "_$.:"):
                end += 1
            is_prefix = code[end : end + 1] in ("'", '"') and code[at:end].lower() in ("r", "b", "f", "u", "rb", "fr")
            if not is_prefix:
                yield "word", code[at:end].rstrip(":")
            at = end
        elif char in "#/" and _is_comment(code, at):
            at = _line_end(code, at)
        else:
            if not char.isspace() or char == "\n":
                yield "mark", char
            at += 1


def _is_comment(code: str, at: int) -> bool:
    before = code[code.rfind("\n", 0, at) + 1 : at]
    return before[-1:].strip() == "" if code[at] == "#" else code.startswith("//", at) and not before.strip()


def _text(code: str, at: int, mark: str) -> tuple[str, int]:
    """Return the text of a literal that begins at a place, and where it ends: at its mark, or at the line's end."""
    out = []
    while at < len(code) and not code.startswith(mark, at):
        if code[at] == "\n" and len(mark) == 1 and mark != "`":
            break
        if code[at] == "\\" and at + 1 < len(code):
            at += 1
        out.append(code[at])
        at += 1
    return "".join(out), at + len(mark)
