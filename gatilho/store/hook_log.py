"""The log in the git directory: what a hook could not do and did not want to trouble anybody with twice."""

from gatilho import bounded, dates, files, system
from gatilho.git.root import Repository

FILE = "/log"
# When the log grows beyond this, its older half goes (bytes).
LARGEST = 256 * 1024


def write_entry(repository: Repository, text: str) -> None:
    """Add one entry with the time (UTC); a log that cannot be written is done without."""
    path = repository.shared_state + FILE
    stamp = dates.utc_time()
    entry = f"{stamp} {text.rstrip()}\n".encode("utf-8", "backslashreplace")
    try:
        files.append_bytes(path, entry)
        if system.stat(path).st_size > LARGEST:
            _halve(path)
    except OSError:
        pass


def write_fault(repository: Repository, where: str, fault: Exception) -> None:
    """Add one entry about a fault that no one expected, with its traceback."""
    import traceback

    write_entry(repository, f"{where}: {''.join(traceback.format_exception(fault))}")


def _halve(path: str) -> None:
    data = bounded.read(path)
    kept = data[len(data) // 2 :]
    with open(path, "wb") as file:
        file.write(kept[kept.find(b"\n") + 1 :])
