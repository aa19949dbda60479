"""Life of one event, from the command to the total."""
