"""Guarded files that go with a whole folder: copied over, unpacked over, restored or stashed by git."""

from os.path import exists, isdir, normpath

_RESTORING = ("checkout", "switch", "restore", "stash", "reset", "clean", "read-tree", "checkout-index", "update-index",
              "sparse-checkout", "rm")  # fmt: skip
# What of the index makes git look past a file, or leave it out of the next commit.
_HIDING = frozenset(
    ("--skip-worktree", "--assume-unchanged", "--remove", "--force-remove", "--cacheinfo", "--index-info")
)
_VALUED = {
    "tar": ("-C", "--directory", "-f", "--file", "-X", "-T"),
    "unzip": ("-d", "-x", "-P"),
    "git": ("-C", "-c", "--git-dir", "--work-tree", "-s", "--source", "-m", "--message", "-b", "-B"),
    "cp": ("-t", "--target-directory", "-S"),
    "rsync": ("-e", "-f", "-B", "-T", "--exclude", "--include", "--filter", "--files-from"),
}
_ROOT = ":/"


class Written:
    """What simple commands write as whole folders.

    root: of the repository. guarded: its guarded files, relative to the root; names: those among what is written.
    changed_only: git takes back what is not committed, and nothing else. moved: the (old, new) revisions of each branch
    that is set to another commit.
    """

    def __init__(self, root: str, guarded: list[str]) -> None:
        self.root = root
        self.guarded = guarded
        self.names: list[str] = []
        self.changed_only: list[str] = []
        self.moved: list[tuple[str, str]] = []

    def add_below(self, folder: str) -> None:
        """Add the guarded files in an absolute folder, none for ""."""
        self.names += [name for name in self.guarded if folder and _is_below(f"{self.root}/{name}", folder)]

    def add_named_by(self, specs: list[str], folder: str) -> None:
        """Add the guarded files that pathspecs of git name in a folder."""
        for spec in specs:
            self.names += [name for name in self.guarded if _is_named_by(spec, folder, self.root, name)]


def written_with_folders(calls: tuple[tuple[str, ...], ...], cwd: str, root: str, guarded: list[str]) -> Written:
    """Return which of the guarded files (relative to the root) the commands write with the folders around them.

    cwd: the absolute folder in which the command line begins.
    """
    found = Written(root, guarded)
    folder = cwd
    for call in calls:
        program = call[0].rsplit("/", 1)[-1]
        if program in ("cd", "pushd") and len(call) > 1:
            folder = _joined(folder, call[-1])
        elif program == "git":
            _by_git(call[1:], folder, found)
        elif program in ("tar", "bsdtar", "gtar", "unzip"):
            found.add_below(_unpacked_into(program, call[1:], folder))
        elif program in ("7z", "7za", "7zz", "cpio", "pax", "jar"):
            found.add_below(_unpacked_by_others(program, call[1:], folder))
        elif program in ("cp", "gcp", "mv", "rsync", "scp", "ditto"):
            _by_copying(program, call[1:], folder, found)
    return found


def _joined(folder: str, path: str) -> str:
    return normpath(path if path.startswith("/") else f"{folder}/{path}")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _split(program: str, words: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Return options with their values ("" for none), and operands; what comes after `--` is an operand.

    Of git, short options that are one word are several.
    """
    options: dict[str, str] = {}
    operands: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word == "--":
            options["--"] = ""
            operands += waiting
        elif word.startswith("-") and len(word) > 1:
            if program == "git" and word[1] != "-":  # `-qB main`
                options.update(dict.fromkeys([f"-{letter}" for letter in word[1:-1]], ""))
                word = f"-{word[-1]}"
            name, equals, value = word.partition("=")
            options[name] = value if equals else next(waiting, "") if word in _VALUED.get(program, ()) else ""
        else:
            operands.append(word)
    return options, operands


def _by_git(words: tuple[str, ...], folder: str, found: Written) -> None:
    at = 0
    # Options before the command, some with a value in the next word, as in `git -c a.b=c checkout .`.
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-C":
            folder = _joined(folder, words[at + 1] if at + 1 < len(words) else "")
        at += 2 if words[at] in _VALUED["git"] else 1
    command, rest = (words[at], words[at + 1 :]) if at < len(words) else ("", ())
    options, operands = _split("git" if command != "read-tree" else "", rest)
    _by_branch(command, options, operands, found)
    if command not in _RESTORING:
        return
    if command == "stash" and operands and operands[0] in ("list", "show", "drop", "clear", "branch", "create"):
        return
    if command == "stash" and operands and operands[0] in ("push", "save", "pop", "apply"):
        operands = operands[1:]
    # Unstaging alone leaves the files of the working tree as they are.
    if command == "restore" and options.keys() & {"--staged", "-S"} and not options.keys() & {"--worktree", "-W"}:
        return
    if command in ("update-index", "sparse-checkout", "read-tree", "rm"):
        _in_index(command, options, operands, folder, found)
        return
    forced = command in ("checkout", "switch") and options.keys() & {"-f", "--force", "--discard-changes"}
    if command in ("reset", "switch") or forced or (command in ("stash", "checkout") and not operands):
        whole = command == "stash" or forced or options.keys() & {"--hard", "--merge", "--keep"}
        found.changed_only += found.guarded if whole else []
        return
    if command == "checkout" and "-B" in options:
        return
    if command == "clean":
        removes = any("f" in option for option in options) and options.keys().isdisjoint(("-n", "--dry-run"))
        found.changed_only += found.guarded if removes and not operands else []
    found.add_named_by(operands or (["."] if options.keys() & {"-a", "--all"} else []), folder)


def _by_branch(command: str, options: dict[str, str], operands: list[str], found: Written) -> None:
    """Note which branch is set to another commit, or deleted: then what this branch has is what is left."""
    given = options.keys()
    if command == "reset" and given & {"--hard", "--merge", "--keep"}:
        branches = ["HEAD", *operands] if operands else []
    elif command == "checkout" and "-B" in given:
        branches = [options["-B"], *operands]
    elif command == "switch" and given & {"-C", "--force-create"}:
        branches = [one for one in (options.get("-C"), options.get("--force-create")) if one] + operands
    elif command == "update-ref" or (command == "branch" and given & {"-f", "--force", "-D"}):
        branches = operands[:1] if given & {"-d", "-D"} else operands
    else:
        branches = []
    found.moved += [(branches[0], branches[1] if len(branches) > 1 else "HEAD")] if branches else []


def _in_index(command: str, options: dict[str, str], operands: list[str], folder: str, found: Written) -> None:
    """Add the guarded files that git takes from another tree, leaves out of the next commit, or looks past."""
    if command == "read-tree" and options.keys() & {"-u", "--reset", "-m", "--prefix"}:
        if {*operands} <= {"HEAD"}:
            found.changed_only += found.guarded
        else:
            found.names += found.guarded
    elif command == "sparse-checkout" and operands[:1] not in ([], ["list"], ["disable"], ["check-rules"]):
        found.names += found.guarded
    elif command == "rm" and "--cached" in options:
        found.add_named_by(operands, folder)
    elif command == "update-index" and _HIDING & options.keys():
        # `--cacheinfo MODE,OBJECT,PATH`
        found.add_named_by([one.rpartition(",")[2] for one in operands] or ["."], folder)


def _is_named_by(spec: str, folder: str, root: str, name: str) -> bool:
    """Return whether a pathspec of git names the file."""
    if spec.startswith(":(") and ")" in spec:
        magic, _, spec = spec[2:].partition(")")
        folder, spec = (root, spec) if "top" in magic else (folder, spec)
        if "exclude" in magic:
            return False
    elif spec.startswith(_ROOT):
        folder, spec = root, spec[len(_ROOT) :]
    elif spec[:2] in (":!", ":^"):
        return False
    path = _joined(folder, spec or ".")
    whole = f"{root}/{name}"
    if any(mark in spec for mark in "*?["):
        from fnmatch import fnmatchcase

        return fnmatchcase(whole, path) or fnmatchcase(whole, path + "/*")
    return _is_below(whole, path)


def _unpacked_into(program: str, words: tuple[str, ...], folder: str) -> str:
    options, operands = _split("unzip" if program == "unzip" else "tar", words)
    if program == "unzip":
        lists = any(option.startswith("-") and set(option[1:]) & set("lptvzZ") for option in options)
        return "" if lists else _joined(folder, options.get("-d", ".") or ".")
    letters = "".join(option[1:] for option in options if option[:2] != "--")
    # `tar xf FILE`: in its old form the letters have no hyphen and are the first word.
    letters += operands[0] if operands and operands[0].isalpha() and "/" not in operands[0] else ""
    if "x" not in letters and not options.keys() & {"--extract", "--get"}:
        return ""
    return _joined(folder, options.get("-C") or options.get("--directory") or ".")


def _unpacked_by_others(program: str, words: tuple[str, ...], folder: str) -> str:
    options, operands = _split(program, words)
    letters = "".join(option[1:] for option in options if option[:2] != "--") + "".join(operands[:1])
    if program.startswith("7z"):
        into = next((option[2:] for option in options if option.startswith("-o")), ".")
        return _joined(folder, into) if operands[:1] in (["x"], ["e"]) else ""
    if program == "jar":
        return _joined(folder, options.get("-C") or ".") if "x" in letters else ""
    passes = (program == "cpio" and "p" in letters) or (program == "pax" and {"r", "w"} <= set(letters))
    reads = (program == "cpio" and "i" in letters) or (program == "pax" and "r" in letters)
    return _joined(folder, operands[-1] if passes and operands else ".") if passes or reads else ""


def _unclustered(word: str) -> tuple[str, ...]:
    return (word[:-1], "-t") if len(word) > 2 and word[0] == "-" != word[1] and word[-1] == "t" else (word,)


def _by_copying(program: str, words: tuple[str, ...], folder: str, found: Written) -> None:
    """Add the guarded files that a copy of folders writes; one that the source is seen not to have is left out."""
    if program != "rsync":  # `-rt DIR` is `-r -t DIR`
        words = tuple(part for word in words for part in _unclustered(word))
    options, operands = _split("rsync" if program == "rsync" else "cp", words)
    letters = "".join(option[1:] for option in options if option[:2] != "--")
    deep = set(letters) & set("raR") or options.keys() & {"--recursive", "--archive"} or program in ("mv", "ditto")
    target = options.get("-t") or options.get("--target-directory") or (operands.pop() if operands else "")
    exact = program == "ditto" or (program != "rsync" and ("T" in letters or "--no-target-directory" in options))
    if not deep or not target:
        return
    into = _joined(folder, target)
    for source in operands:
        last = source.rstrip("/").rpartition("/")[2]
        # `cp -r src/. DIR`, and `src/` for rsync, copy what is in the folder and not the folder itself.
        contents = last in ("", ".", "..") or "*" in last or (program == "rsync" and source.endswith("/"))
        place = into if contents or exact or not isdir(into) else f"{into}/{last}"
        origin = _joined(folder, source.rstrip("*") or ".")
        # Then rsync also writes what the source lacks: it removes that.
        removes = any(option.startswith("--delete") for option in options)
        for name in found.guarded:
            whole = f"{found.root}/{name}"
            if _is_below(whole, place) and (removes or not isdir(origin) or exists(origin + whole[len(place) :])):
                found.names.append(name)
