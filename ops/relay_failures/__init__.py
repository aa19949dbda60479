"""What the relay gave up, and the queue that tells of it."""
