"""Costs of a stack, and settings for a rate of events: computed, without a call to AWS."""
