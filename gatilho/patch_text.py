"""The files that a patch names: envelopes of apply_patch, and unified diffs. Imports nothing."""

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE, MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "
_HEADERS = ("--- ", "+++ ", "rename from ", "rename to ", "copy to ")


def envelope_paths(text: str) -> tuple[str, ...]:
    """Return the paths between `*** Begin Patch` and `*** End Patch`, as they are there, each once."""
    start = text.find(BEGIN)
    if start < 0:
        return ()
    paths: dict[str, None] = {}
    for line in text[start:].split("\n"):
        line = line.strip()
        if line.startswith("***"):
            for prefix in (ADD, DELETE, UPDATE, MOVE):
                if line.startswith(prefix):
                    paths[line[len(prefix) :].strip()] = None
            if line.startswith(END):
                break
    return tuple(path for path in paths if path)


def diff_paths(text: str, strip: int) -> tuple[str, ...]:
    """Return the paths that a unified diff changes, less `strip` leading parts (`-p1`); -1 leaves the name alone."""
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
