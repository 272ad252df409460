"""The files that conditions look at, and the commands that they run. Imports `verbs`, `document`, `triggers`, `shell`,
`git` and `hosts`."""
