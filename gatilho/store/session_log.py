"""What is kept of sessions that are forgotten: a line of JSON for each in the git directory, for figures alone."""

from gatilho import bounded, files

SESSIONS = "/behaviour"
# What sessions did before their first edit, by their hash: hosts remove the transcripts that say it.
FIRST_EDITS = "/first-edits"
# Bytes that are read of the end: some 20,000 sessions.
_MOST = 8 << 20


def append_lines(folder: str, lines: list[str], name: str = SESSIONS) -> None:
    """Add a line for each session, in one piece; where the folder cannot be written, they are lost."""
    if not lines:
        return
    try:
        files.append_bytes(folder + name, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
    except OSError:
        pass


def logged_lines(folder: str, name: str = SESSIONS) -> list[bytes]:
    """Return the lines of the sessions that are kept in a folder, the oldest first."""
    try:
        return bounded.tail(folder + name, _MOST).splitlines()
    except OSError:
        return []
