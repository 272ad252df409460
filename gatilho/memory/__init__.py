"""What rows have in common: which say the same, and which the opposite. Imports `triggers`."""
