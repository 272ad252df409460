"""What rows have in common, and the facts that people correct again and again. Imports `store` and what that reads."""
