"""A rules-and-debts engine for coding agents whose store is Markdown tables in git."""

HOMEPAGE = "https://github.com/OWNER/gatilho"
# The last line: the dispatcher compares it with the name of what is installed.
__version__ = "0.1.0"
