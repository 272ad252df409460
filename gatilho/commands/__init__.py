"""One module for each command, with `main(argv)`, which returns the exit status. May import every room.

The first line of a command's module says its name, its group in the help and what it does.
"""
