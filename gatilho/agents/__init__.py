"""What coding agents without hooks are served: calls of the command line, as from an agent's shell. Imports no room."""
