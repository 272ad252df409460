"""Packages that only some commands need, and that are installed when they are wanted."""

from gatilho.errors import UsageError


def missing_extra(extra: str, fault: ModuleNotFoundError) -> UsageError:
    """Return what is said where the packages of an extra are missing; raises the fault where our own code is."""
    if (fault.name or "").partition(".")[0] in ("", "gatilho"):
        raise fault
    return UsageError(
        f"`gatilho {extra}` needs the package {fault.name}. "
        f"Install it with gatilho, for example `pipx install 'gatilho[{extra}]'`."
    )
