"""The consumer's controlled failure, to practise with."""
