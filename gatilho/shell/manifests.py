"""Package managers: the manifests and locks that adding, removing and updating of packages writes."""

from gatilho.shell.arguments import MANIFEST, Argument
from gatilho.shell.program_options import Found, options_and_operands, values

_NODE = "add a i install remove rm un uninstall up update upgrade"
# Name: verbs that write both where a package is named to them, verbs that write the lock alone, manifests, locks.
_MANAGERS = {
    "bun": (_NODE, "", "package.json", "bun.lock bun.lockb"),
    "bundle": ("add remove", "install lock update", "Gemfile", "Gemfile.lock"),
    "cargo": ("add remove rm", "generate-lockfile update", "Cargo.toml", "Cargo.lock"),
    "composer": ("remove require", "install update", "composer.json", "composer.lock"),
    "go": ("get mod", "", "go.mod", "go.sum"),
    "npm": (_NODE, "audit dedupe", "package.json", "package-lock.json npm-shrinkwrap.json"),
    "pdm": ("add remove", "install lock sync update", "pyproject.toml", "pdm.lock"),
    "pipenv": ("install uninstall", "lock update", "Pipfile", "Pipfile.lock"),
    "pixi": ("add remove", "install lock update", "pixi.toml pyproject.toml", "pixi.lock"),
    "pnpm": (_NODE, "dedupe", "package.json", "pnpm-lock.yaml"),
    "poetry": ("add remove", "install lock update", "pyproject.toml", "poetry.lock"),
    "rye": ("add remove", "lock sync", "pyproject.toml", "requirements.lock requirements-dev.lock"),
    "uv": ("add remove", "lock sync", "pyproject.toml", "uv.lock"),
    "yarn": (_NODE, "dedupe", "package.json", "yarn.lock"),
}
# Verbs that write only with one of these words after them.
_ONLY_WITH = {"audit": ("fix",), "mod": ("edit", "init", "tidy")}
# With these it is about the person's own packages, or only said.
_ELSEWHERE = frozenset(("g", "global", "no-save", "dry-run", "frozen", "n"))
_FOLDERS = ("C", "prefix", "dir", "cwd", "directory", "project", "working-dir")
_VALUED = "prefix dir cwd directory project working-dir group extra features workspace filter registry source tag"
VERBS = frozenset(verb for verbs, locking, _, _ in _MANAGERS.values() for verb in (*verbs.split(), *locking.split()))


def files_of_manager(name: str, arguments: list[Argument]) -> Found:
    """Return the manifests and locks that a call of a package manager may write; none for any other program or call.

    The kind is MANIFEST: each is in the folder of the command or in one above.
    """
    if name not in _MANAGERS:
        return []
    verbs, locking, manifests, locks = (part.split() for part in _MANAGERS[name])
    options, operands = options_and_operands(arguments, "CGE" if name in ("go", "poetry") else "C", _VALUED)
    verb = operands[0].approximate if operands else ""
    after = operands[1].approximate if operands[1:] else ""
    if verb not in (*verbs, *locking) or after not in _ONLY_WITH.get(verb, (after,)):
        return []
    if not _ELSEWHERE.isdisjoint(option for option, _ in options):
        return []
    written = [*(manifests if verb in verbs and after else ()), *locks]
    folder = "".join(f"{one.approximate}/" for one in values(options, *_FOLDERS)[:1])
    return [(MANIFEST, Argument(folder + file)) for file in written]
