"""Command lines of shells: their simple commands, and the files that these read and write. Imports no other room."""
