"""What is stored and what is on its way."""
