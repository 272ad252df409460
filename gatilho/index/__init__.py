"""The index: rows by the text that a match must contain, in files that can be deleted. Imports `git`, `ledger`,
`document` and `triggers`."""
