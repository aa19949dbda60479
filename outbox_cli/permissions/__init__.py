"""The operator's own IAM document."""
