"""One file for each command, each with `main(argv) -> int`. May import every room."""
