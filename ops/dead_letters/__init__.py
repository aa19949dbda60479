"""The dead-letter queue: what the inbox says of each message, and the way back."""
