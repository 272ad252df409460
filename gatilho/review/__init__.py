"""Rows across revisions: what changed, merging, history."""
