"""What each coding agent sends to a hook and accepts from it: one module per host."""
