"""The dispatcher: its one text, the place where it is installed, and the note by which it finds the package."""

import os
import re

from gatilho import bounded
from gatilho.errors import UsageError
from gatilho.git.root import Repository

PATH = "scripts/gatilho.py"
_MARK = re.compile(rb"# gatilho dispatcher (\d+)\b")


def installed() -> str:
    """Return the absolute path of the dispatcher that came with the package, in the checkout or beside the package."""
    above = os.path.dirname(package_folder())
    for name in (PATH, "gatilho_dispatcher/gatilho.py"):
        path = os.path.join(above, name)
        if os.path.isfile(path) and version_of(bounded.read(path)):
            return path.replace("\\", "/")
    raise UsageError(f"the dispatcher is missing beside {package_folder()}: install gatilho again.")


def dispatcher_text() -> bytes:
    """Return the dispatcher as `init` writes it."""
    return bounded.read(installed())


def version_of(data: bytes) -> int:
    """Return the version that the first line of a dispatcher of ours bears; 0 for a file that is not ours."""
    found = _MARK.match(data)
    return int(found[1]) if found else 0


def package_folder() -> str:
    """Return the folder of the package itself."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def package_note() -> bytes:
    """Return the note, a folder a line: of the package, and of its dependencies if that is another."""
    from importlib.util import find_spec

    folders = [os.path.dirname(package_folder())]
    found = find_spec("regex")
    if found is not None and found.origin:
        folders.append(os.path.dirname(os.path.dirname(found.origin)))
    lines = dict.fromkeys(folder.replace("\\", "/") for folder in folders)
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")


def holds_package(folder: str) -> bool:
    """Return whether a folder holds an installed gatilho or a checkout of it, as the dispatcher checks the note."""
    try:
        version = bounded.read(folder + "/gatilho/__init__.py").decode("utf-8", "replace").rstrip().rpartition(" = ")[2]
        if not os.path.isfile(folder + "/gatilho/hook.py"):
            return False
        if os.path.isfile(f"{folder}/gatilho-{version[1:-1]}.dist-info/METADATA"):
            return True
        return b'\nname = "gatilho"\n' in bounded.read(folder + "/pyproject.toml").replace(b"\r\n", b"\n")
    except OSError:
        return False


def write_note(shared_state: str) -> None:
    """Note the package's place in the git directory (its `gatilho` folder), where the dispatcher looks first.

    A git directory that cannot be written costs time, nothing else.
    """
    path = shared_state + "/package"
    data = package_note()
    try:
        if os.path.isfile(path) and bounded.read(path) == data:
            return
        os.makedirs(shared_state, exist_ok=True)
        with open(path + ".new", "wb") as stream:
            stream.write(data)
        os.replace(path + ".new", path)
    except OSError:
        pass


def introduce(repository: Repository) -> None:
    """Write the note where the repository has a dispatcher and none that leads to a package."""
    if os.path.isfile(f"{repository.root}/{PATH}"):
        note = bounded.read_quietly(repository.shared_state + "/package")
        first = note.decode("utf-8", "surrogateescape").split("\n")[0]
        if not first or not holds_package(first):
            write_note(repository.shared_state)
