"""Rows played against the past of a branch: when they would have spoken, asked and been paid. Imports `workspace`,
`conditions`, `document`, `git`, `index`, `triggers` and `verbs`."""
