"""Least privilege from both sides: every right is taken away once, and every right that is left was used."""
