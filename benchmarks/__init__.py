"""What a hook costs, as a ratio to the bare interpreter in the same run: `python -m benchmarks`."""
