"""Warn, charge, ask: what happens on each event, and what each session remembers."""
