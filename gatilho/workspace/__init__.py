"""What commands look at: the rows, files and git of one working tree, each read once. Imports what reads."""
