"""Accepted events that were never applied: found, and sent again."""
