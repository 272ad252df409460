"""What is written: transitions planned, recorded in the ledger first, then put into the tables. Imports `document`,
`lifecycle`, `ledger`, `index` and `git`."""
