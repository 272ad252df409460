"""What `init` writes, `uninstall` removes and `doctor` proves. Imports no command."""
