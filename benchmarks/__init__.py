"""What is measured, by one command: `make bench`. Ours beside the walkthrough's handlers and beside Powertools."""
