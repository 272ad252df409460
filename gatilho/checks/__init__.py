"""The linter: one module for each family of checks, found by its KINDS. May import what the ladder may, and it."""
