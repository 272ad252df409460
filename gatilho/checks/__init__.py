"""What `gatilho check` finds, one file for each family. Imports `workspace` and what that reads."""
