"""What the machine has: a sandbox for commands, and git."""

import os
from tempfile import TemporaryDirectory

from gatilho.conditions import sandbox
from gatilho.config import Config
from gatilho.doctor.finding import NOTE, OK, WRONG, Finding
from gatilho.git.root import Repository

PART = "sandbox"


def look(repository: Repository, config: Config) -> list[Finding]:
    """In what the commands of conditions run here."""
    with TemporaryDirectory(prefix="gatilho-doctor-") as folder:
        found = sandbox.find(repository, folder, os.environ)
    if found.kind == sandbox.NONE:
        demanded = config.conditions.sandbox == "required"
        consequence = "no condition runs a command" if demanded else "commands of conditions run unprotected"
        remedy = "install bubblewrap" if "not installed" in found.reason else ""
        return [Finding(PART, WRONG if demanded else NOTE, f"{found.reason}: {consequence}", remedy)]
    because = f" ({' '.join(found.reason.split())})" if found.reason else ""
    return [Finding(PART, OK, f"commands of conditions run in bubblewrap: {found.kind}{because}")]
