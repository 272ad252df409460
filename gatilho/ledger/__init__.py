"""The ledger: its files and lines, the count that they come to, and their packing. Imports no other room."""
