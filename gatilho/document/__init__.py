"""What the bytes of a document mean: rows and cells. Imports the verbs of conditions, and no other room."""
