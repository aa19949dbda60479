"""Accepted events that were never applied: searched and resent."""
