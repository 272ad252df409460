"""The linter: one module per check or family of checks."""
