"""What a stack costs and what to set for a rate of events: computed, nothing asked of AWS."""
