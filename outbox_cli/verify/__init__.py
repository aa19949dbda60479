"""The whole exercise on a deployed stack."""
