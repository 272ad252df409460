"""Asks git what its files do not show: the one door to its commands that only look.

None of git's optional locks is taken and nothing is waited for but git itself; where git fails, or is missing, there is
no answer. Revisions and histories are `compare.revisions`' business, merging and configuring belong to who does it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def ask(
    root: str, *arguments: str, seconds: float = 10, given: bytes = b"", environ: "Mapping[str, str] | None" = None
) -> bytes | None:
    """Return what git prints for a command in the working tree at root; None where it fails or takes longer.

    given: its standard input. environ: its whole environment, the own one unless given.
    """
    import subprocess

    command = ["git", "--no-optional-locks", "-C", root, *arguments]
    nothing = None if given else subprocess.DEVNULL
    try:
        done = subprocess.run(
            command, input=given or None, stdin=nothing, env=environ, capture_output=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def ask_names(root: str, *arguments: str, seconds: float = 10, given: bytes = b"") -> list[str] | None:
    """Return the texts that git prints with a NUL after each (`-z`), such as names; None where it cannot."""
    said = ask(root, *arguments, seconds=seconds, given=given)
    return None if said is None else [decoded(name) for name in said.split(b"\0") if name]


def decoded(name: bytes) -> str:
    """Return a name as the operating system's functions take it."""
    return name.decode("utf-8", "surrogateescape")
