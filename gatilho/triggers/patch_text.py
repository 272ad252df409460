"""The files that a patch names: envelopes of apply_patch, and unified diffs. Imports nothing."""

_ENVELOPE = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_HEADERS = ("--- ", "+++ ", "rename from ", "rename to ", "copy to ")


def envelope_paths(text: str) -> tuple[str, ...]:
    """The paths between `*** Begin Patch` and `*** End Patch`, as they stand there, each once."""
    start = text.find("*** Begin Patch")
    if start < 0:
        return ()
    paths: dict[str, None] = {}
    for line in text[start:].split("\n"):
        line = line.strip()
        if line.startswith("***"):
            for prefix in _ENVELOPE:
                if line.startswith(prefix):
                    paths[line[len(prefix) :].strip()] = None
            if line.startswith("*** End Patch"):
                break
    return tuple(path for path in paths if path)


def diff_paths(text: str, strip: int) -> tuple[str, ...]:
    """The paths that a unified diff changes, with `strip` leading parts taken off (`-p1`); -1 leaves the name alone."""
    paths: dict[str, None] = {}
    for line in text.split("\n"):
        if line.startswith(_HEADERS):
            renamed = line.startswith(("rename", "copy"))
            name = line.partition(" to " if " to " in line[:10] else " from ")[2] if renamed else line[4:]
            name = name.partition("\t")[0].strip().strip('"')
            if name and name != "/dev/null":
                paths[_stripped(name, 0 if renamed else strip)] = None
    return tuple(path for path in paths if path)


def _stripped(path: str, strip: int) -> str:
    if strip < 0:
        return path.rpartition("/")[2]
    return "/".join(path.split("/")[strip:])
