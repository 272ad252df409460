"""What changed between two sides of a store, and how it is shown. Imports `document`, `ledger`, `lifecycle`, `git` and
`store`."""
