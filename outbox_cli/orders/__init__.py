"""Orders through the command, and messages put on the queue by hand."""
