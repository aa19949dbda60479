"""Which stack a verb works on, and what it has: by its outputs, or by its program."""
