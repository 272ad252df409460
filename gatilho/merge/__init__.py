"""The merge of documents by rows and cells, and conflict markers. Imports `document`, `git` and `lifecycle`."""
