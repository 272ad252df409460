"""What this machine offers: git, and the sandbox in which commands of conditions run, as a turn's end finds it."""

from shutil import which

from gatilho.conditions import commands, sandbox
from gatilho.config import Config
from gatilho.git.root import Repository
from gatilho.setup.doctor.finding import NOTE, OK, WRONG, Finding

PART = "sandbox"
_INSTALL = "install bubblewrap from your system's packages, so that `bwrap` is in /usr/bin"


def inspect(repository: Repository, config: Config) -> list[Finding]:
    """Return in what the commands of conditions run here, and whether git is missing."""
    git = Finding("git", WRONG, "git was not found on the PATH", "install it, or add its folder to the PATH")
    return [*_sandbox(repository, config), *([git] if which("git") is None else [])]


def _sandbox(repository: Repository, config: Config) -> list[Finding]:
    """Return which sandbox there is: a full one, a read-only one, or none."""
    found = commands.find_sandbox(repository)
    because = " ".join(found.reason.split())
    if not found.is_bubblewrap:
        demanded = config.conditions.sandbox == "required"
        weaker = "without a network, but unprotected" if found.kind == sandbox.UNSHARED else "unprotected"
        consequence = "no condition runs a command" if demanded else f"commands of conditions run {weaker}"
        remedy = _INSTALL if "not installed" in because else ""
        return [Finding(PART, WRONG if demanded else NOTE, f"none: {because}: {consequence}", remedy)]
    if found.kind == sandbox.READ_ONLY:
        text = f"read-only: commands of conditions run in bubblewrap and cannot write into the repository ({because})"
        remedy = "commands that write (a build, a test cache) fail here; let them write below $TMPDIR"
        return [Finding(PART, NOTE, text, remedy)]
    lacking = [name for name in ("home", "cache") if name not in found.layers]
    more = f"; no overlay over {' and '.join(lacking)}" if lacking else ""
    return [Finding(PART, OK, f"full: commands of conditions run in bubblewrap, {found.kind}{more}")]
