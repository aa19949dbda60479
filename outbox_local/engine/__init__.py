"""Replacements of AWS's provider plugin and Pulumi's Python host, for the real Pulumi engine.

`bin/` and `language/` hold the two executables that the engine looks for on PATH.
"""
