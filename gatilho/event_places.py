"""Where an event happens: the folder it speaks from, the repositories it belongs to, and their state folders.

Imported by the events that are no tool calls, and where a tool call has more to do than to be let pass.
"""

from gatilho import bounded
from gatilho import system as os
from gatilho.bounded import is_there
from gatilho.git.root import Repository, find_repository, stores_above
from gatilho.hosts import host_named
from gatilho.hosts.event import Event
from gatilho.index import signature
from gatilho.triggers import paths

# As many bytes of a `pyproject.toml` are looked through for our table in it.
_PYPROJECT = 1 << 18


def event_folder(event: Event) -> str:
    """Return the absolute folder that the event speaks from."""
    cwd = event.cwd or _workspace(event.roots)
    return paths.absolute(cwd, "") or paths.absolute(cwd, _working_folder()) or _working_folder()


def session_repository(event: Event, home: str) -> Repository | None:
    """Return the repository that the session's turns belong to: where the host says that it began, else where it is.

    On a host that names no folder, such a variable would belong to a host which runs this one as a tool.
    """
    project = host_named(event.host).project
    began = signature.variable(project) if project else ""
    found = find_repository(paths.absolute(began, home) or home) if began else None
    return found if found is not None else find_repository(home)


def homeless_state() -> str:
    """Return where a session that began in no repository remembers which ones it touched."""
    return signature.state_folder() or "/.local/state/gatilho"


def has_store(repository: Repository) -> bool:
    """Return whether the repository, or the person on this machine, has tables at all, or names some elsewhere."""
    if is_there(repository.root + "/docs/gatilhos") or is_there(repository.root + "/gatilho.toml"):
        return True
    personal = signature.personal_folder()
    return (bool(personal) and is_there(personal)) or _mentions(repository.root + "/pyproject.toml", b"[tool.gatilho")


def stores_around(repository: Repository, *folders: str) -> list[str]:
    """Return the folders with nested stores above (absolute) folders of the repository, nearest last."""
    names = [name for folder in folders for name in paths.names_in(folder, repository.root)]
    return stores_above(repository.root, [f"{name}/" for name in names])


def tool_setting(tool: str, root: str) -> tuple[str, tuple[str, ...]] | None:
    """Return what the configuration says of a tool, None for nothing; read only where its text has the tool's name."""
    name = tool.encode("utf-8", "replace")
    if not name or not any(_mentions(f"{root}/{file}", name) for file in ("gatilho.toml", "pyproject.toml")):
        return None
    from gatilho.configfile import load

    return load(root)[0].tools.get(tool)


def _mentions(path: str, text: bytes) -> bool:
    try:
        return text in bounded.head(path, _PYPROJECT)
    except OSError:
        return False


def _workspace(roots: tuple[str, ...]) -> str:
    """Return the first workspace folder in a repository with tables, else the first of all."""
    for root in roots:
        repository = find_repository(root) if len(roots) > 1 else None
        if repository is not None and is_there(repository.root + "/docs/gatilhos"):
            return root
    return roots[0] if roots else ""


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed while the session was in it
        return "/"
