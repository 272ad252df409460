"""What an editor is served while a person types: problems, fixes, rows at their files. Writes nothing, runs nothing.
Imports `checks`, `console`, `repair` and what these read."""
