"""A rules-and-debts engine for coding agents whose store is Markdown tables in git."""

__all__ = ["HOMEPAGE", "__version__", "system"]

# What `os` takes its functions from, without the time that its import takes a hook: `from gatilho import system`.
try:
    import posix as system
except ImportError:  # Windows
    import os as system  # type: ignore[no-redef]

HOMEPAGE = "https://github.com/OWNER/gatilho"
# The last line: the dispatcher compares it with the name of what is installed.
__version__ = "0.1.0"
