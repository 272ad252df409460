"""The figures of the whole store, gathered from its working tree, its ledger, its sessions and git's history, and the
page that shows them.

Imports `backtest`, `checks`, `compare`, `memory` and what these read.
"""
