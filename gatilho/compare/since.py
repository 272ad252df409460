"""What people mean by `--since WHEN`: a date, a time in words, or a commit."""

import re

from gatilho.compare.history import seconds
from gatilho.compare.revisions import Revisions
from gatilho.errors import UsageError

_RELATIVE = re.compile(r"\d+[ .](second|minute|hour|day|week|month|year)s?[ .]ago|yesterday|last[ .](week|month|year)")


def commit_meant(opened: Revisions, text: str | None) -> str:
    """Return the commit that WHEN names, "" where it is a time or is not given."""
    return "" if not text or seconds(text) else opened.find(text)


def time_meant(opened: Revisions, text: str | None) -> int:
    """Return the time that WHEN means, in seconds since 1970; 0 where it is not given."""
    if not text:
        return 0
    found = seconds(text)
    if found:
        return found
    if _RELATIVE.fullmatch(text.strip()):
        return opened.moment(text.strip())
    raise UsageError(f"--since {text}: that is not a date, a revision, or a time like '2 weeks ago'.")
