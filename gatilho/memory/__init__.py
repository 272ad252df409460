"""What rows have in common: which say the same. Imports `triggers`."""
