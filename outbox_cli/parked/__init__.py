"""Stored events that can never be sent as they are."""
