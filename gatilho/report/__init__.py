"""The figures of the whole store, gathered from its working tree, its ledger and its sessions.

Imports `checks`, `memory` and what these read.
"""
