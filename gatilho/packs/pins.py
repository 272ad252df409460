"""The pins of packs in the configuration: one commit replaced by another, and nothing else. Pure."""

from gatilho.config import Config
from gatilho.configfile import configuration_in
from gatilho.errors import GatilhoError


def with_pin(data: bytes, name: str, old: str, new: str, is_own_file: bool) -> bytes:
    """Return the configuration's bytes with another commit for a pack.

    is_own_file: it is `gatilho.toml`, not `pyproject.toml`. Raises GatilhoError where the commit is not in the text.
    """
    before = _read(data, is_own_file)
    wanted = tuple((one, git, new if one == name else rev) for one, git, rev in before.packs)
    at = data.find(old.encode())
    while at >= 0:
        changed = data[:at] + new.encode() + data[at + len(old) :]
        # Another pack, or a comment, may name the same commit: what is read decides which place is meant.
        if _read(changed, is_own_file) == before.replace(packs=wanted):
            return changed
        at = data.find(old.encode(), at + 1)
    raise GatilhoError(f'pack {name}: {old} is not in the configuration as one text, so write `rev = "{new}"` there.')


def _read(data: bytes, is_own_file: bool) -> Config:
    return (configuration_in(data, None) if is_own_file else configuration_in(None, data))[0]
