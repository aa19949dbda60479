"""Batches that Lambda abandoned for the relay, and the queue that reports them."""
