"""The merge driver: registered, named by the attributes, and proven by a real merge in a clone that is thrown away."""

import os
from functools import partial
from tempfile import TemporaryDirectory

from gatilho import bounded, tables
from gatilho.git import query
from gatilho.git.nested import listed_stores
from gatilho.git.root import Repository
from gatilho.setup import driver, file_changes, install
from gatilho.setup.doctor.finding import NOTE, OK, WRONG, Finding
from gatilho.setup.doctor.probe import without_git
from gatilho.setup.file_changes import FileChange

PART = "merging"
_FILE = "docs/gatilhos/gatilho-doctor.md"
_PATIENCE = 60
_HEADER = "| id | lifecycle | trigger | note | rides |\n| --- | --- | --- | --- | ---: |\n"
# Nothing of a person's own setting may be in the way: no signing, a name.
_SETTINGS = (
    ("commit.gpgSign", "false"), ("user.name", "gatilho doctor"), ("user.email", "doctor@localhost"),
    ("core.autocrlf", "false"), ("merge.conflictStyle", "merge"), ("advice.detachedHead", "false"), ("gc.auto", "0"),
)  # fmt: skip


def inspect(repository: Repository) -> list[Finding]:
    """Return what there is to say of the driver of this clone."""
    findings = [_registered(repository), _attributes(repository)]
    # Another command than ours is the repository's own and never run: whoever packed the clone may have written it.
    if findings[0].status == OK and findings[1].status == OK:
        findings.append(_prove(repository))
    return findings


def _registered(repository: Repository) -> Finding:
    root, found = repository.root, driver.registered(repository.root)
    if found == driver.command():
        return Finding(PART, OK, "the merge driver is registered")
    consequence = "git merges tables as text: neighbours conflict, and counts are lost"
    text = f"the merge driver registered here is another one: {found}" if found else f"no merge driver: {consequence}"
    return Finding(PART, WRONG, text, "run `gatilho init`", partial(driver.register_driver, root))


def _attributes(repository: Repository) -> Finding:
    root = repository.root
    names = [_FILE, *tables.documents_by_name(listed_stores(root))]
    others = [name for name in names if not driver.names_driver(root, name)]
    if not others:
        return Finding(PART, OK, "the attributes name the driver for docs/gatilhos")
    old = file_changes.read_planned_file(root, driver.ATTRIBUTES)
    line = driver.LINE.decode()
    if driver.has_line(old or b""):
        shown = next((name for name in others if name != _FILE), _FILE)
        text = f"`{line}` of {driver.ATTRIBUTES} is overridden for {shown}, by a later line or a nearer file"
        return Finding(
            PART, WRONG, text, f"remove the `merge` attribute that overrides it: `git check-attr merge {shown}`"
        )
    wanted = FileChange(driver.ATTRIBUTES, old, driver.with_line(old))
    text = f"the attributes do not name the driver: `{line}` is missing"
    remedy = f"add that line at the end of {driver.ATTRIBUTES}, or run `gatilho init`"
    return Finding(PART, WRONG, text, remedy, partial(file_changes.make, root, [wanted]))


def _prove(repository: Repository) -> Finding:
    """Let two branches ride neighbouring rows, and merge them with the registered command."""
    with TemporaryDirectory(prefix="gatilho-doctor-") as folder:
        try:
            said = _merge(repository, f"{folder}/clone")
        except OSError as fault:
            return Finding(PART, NOTE, f"the merge could not be tried: {fault}")
    if said == _table(2, 2):
        return Finding(PART, OK, "a real merge in a temporary clone goes through the driver")
    text = "a real merge in a temporary clone did not go through the driver"
    remedy = f"see `git config {driver.KEY}` and run `gatilho init`"
    return Finding(PART, WRONG, text, remedy, partial(driver.register_driver, repository.root))


def _merge(repository: Repository, clone: str) -> str:
    """Return the table that the merge leaves in a clone of the repository."""
    _git(".", "clone", "--quiet", "--no-checkout", "--no-hardlinks", "--shared", "--template=", repository.root, clone)
    _git(clone, "config", driver.KEY, driver.registered(repository.root))
    _git(clone, "symbolic-ref", "HEAD", "refs/heads/gatilho-doctor")
    private = f"{repository.root}/{install.private_file(repository, 'attributes')}"
    if os.path.isfile(private):
        os.makedirs(f"{clone}/.git/info", exist_ok=True)
        _copy(private, f"{clone}/.git/info/attributes")
    if os.path.isfile(f"{repository.root}/{driver.ATTRIBUTES}"):
        _copy(f"{repository.root}/{driver.ATTRIBUTES}", f"{clone}/{driver.ATTRIBUTES}")
    os.makedirs(f"{clone}/docs/gatilhos", exist_ok=True)
    _commit(clone, _table(1, 1))
    _git(clone, "branch", "other")
    _commit(clone, _table(2, 1))
    _git(clone, "switch", "--quiet", "other")
    _commit(clone, _table(1, 2))
    _git(clone, "merge", "--quiet", "-m", "Merge", "gatilho-doctor", check=False)
    return bounded.read(f"{clone}/{_FILE}").decode("utf-8", "replace").replace("\r\n", "\n")


def _copy(source: str, target: str) -> None:
    with open(target, "wb") as stream:
        stream.write(bounded.read(source))


def _table(first: int, second: int) -> str:
    rows = (("D-one", first), ("D-two", second))
    return _HEADER + "".join(f"| {row_id} | debt | `path: ^x$` | a note | {rides} |\n" for row_id, rides in rows)


def _commit(clone: str, text: str) -> None:
    with open(f"{clone}/{_FILE}", "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    _git(clone, "add", "--force", "--all")
    _git(clone, "commit", "--quiet", "--no-verify", "-m", "Ride")


def _git(folder: str, *arguments: str, check: bool = True) -> None:
    done = query.run(
        folder, *arguments, seconds=_PATIENCE, environ=without_git(os.environ), settings=_SETTINGS, transport="file"
    )
    if check and done.status:
        raise OSError(f"git {arguments[0]} ended with {done.status}: {done.said.strip()}")
