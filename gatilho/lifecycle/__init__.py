"""The life of a row: its states, the transitions between them, the words of its state cell. Pure; imports no room."""
