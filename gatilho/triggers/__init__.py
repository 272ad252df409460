"""What makes a row speak: patterns, globs, paths, and the touches of a call. Imports `shell`."""
