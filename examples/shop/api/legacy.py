"""What version 1 of the API still serves."""
