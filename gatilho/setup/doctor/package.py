"""The package as the dispatcher finds it, and the dispatcher of the repository."""

import os
from functools import partial

from gatilho import bounded
from gatilho.errors import GatilhoError
from gatilho.git.root import Repository
from gatilho.setup import dispatcher, file_changes, install
from gatilho.setup.doctor.finding import OK, WRONG, Finding
from gatilho.setup.doctor.registrations import Registered

PART = "package"


def inspect(repository: Repository, found: list[Registered]) -> list[Finding]:
    """Return whether the note in the git directory leads to this package, and the dispatcher is the current one."""
    return [_note(repository), *(_dispatcher(repository) if any(not one.private for one in found) else [])]


def _note(repository: Repository) -> Finding:
    state = repository.shared_state
    path = f"{state}/package"
    noted = bounded.read_quietly(path).decode("utf-8", "surrogateescape").strip().split("\n")
    fix = partial(dispatcher.write_note, state)
    is_barred = os.path.lexists(state) and not os.access(f"{state}/.", os.W_OK)
    remedy = f"make {state} a folder that you may write" if is_barred else "`gatilho doctor --fix` writes it again"
    if not noted[0]:
        return Finding(PART, WRONG, f"{path} is missing: each hook has to search for the package", remedy, fix)
    if not dispatcher.holds_package(noted[0]):
        return Finding(PART, WRONG, f"{path} names {noted[0]}, where no gatilho is", remedy, fix)
    if "\n".join(noted) != dispatcher.package_note().decode("utf-8", "surrogateescape").strip():
        text = f"{path} names {noted[0]}; this gatilho is in {os.path.dirname(dispatcher.package_folder())}"
        return Finding(PART, WRONG, text, remedy, fix)
    return Finding(PART, OK, f"the hooks find gatilho in {noted[0]}")


def _dispatcher(repository: Repository) -> list[Finding]:
    remedy = "run `gatilho init`"
    try:
        wanted = next(one for one in install.plan_install(repository, [], False) if one.name == dispatcher.PATH)
    except GatilhoError as fault:
        return [Finding(PART, WRONG, str(fault))]
    if not wanted.changes:
        return [Finding(PART, OK, f"{dispatcher.PATH} is the current one")]
    text = f"{dispatcher.PATH} is {'missing' if wanted.old is None else 'an older one'}"
    return [Finding(PART, WRONG, text, remedy, partial(file_changes.make, repository.root, [wanted]))]
