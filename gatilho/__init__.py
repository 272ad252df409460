"""A rules-and-debts engine for coding agents whose store is Markdown tables in git."""

__version__ = "0.1.0"
HOMEPAGE = "https://github.com/OWNER/gatilho"
