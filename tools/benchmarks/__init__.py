"""Benchmarks of `make bench`: this project, the walkthrough's handlers and Powertools, side by side."""
