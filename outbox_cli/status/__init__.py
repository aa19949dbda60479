"""Stored items and messages in the queues."""
