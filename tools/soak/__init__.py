"""The handlers on the simulated AWS, and a long run of them under faults: `python -m tools.soak`."""
