"""New rows: drafted, put into a table, checked before they are written, and proposed from what a repository has.
Imports `checks`, `memory`, `workspace` and what these read."""
