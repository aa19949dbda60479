"""A stack, live."""
