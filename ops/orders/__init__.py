"""What starts at the command, and what is put on the queue by hand."""
