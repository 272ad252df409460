"""Rows of other repositories at a pinned commit: fetched, kept as a copy, and their pin moved. Imports `git` alone."""
