"""Git: which repository holds a path, what git is in the middle of, what it answers. Imports `triggers` for paths."""
