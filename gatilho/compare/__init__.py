"""What changed between two sides of a store, and how it is shown. Imports `document`, `ledger`, `lifecycle`, `git`,
`ladder`, `conditions`, `triggers`, `verbs` and `workspace`."""
