"""What commands share: their parser, a person at the terminal, rows as text. Imports `compare`, `setup` and what these
read."""
