"""The tables and the ledger under docs/gatilhos: finding, reading, indexing and editing them."""
