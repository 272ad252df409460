"""What commands share: their parser, a person at the terminal, rows as text. Imports every room but `commands`."""
