"""Fixes of problems that are safe: planned line by line, proved by reading again, written by `check --fix`. Imports
`document`, `store` and `workspace`."""
