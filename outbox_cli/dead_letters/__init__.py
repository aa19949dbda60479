"""The dead-letter queue: the inbox state of each message, and the redrive."""
