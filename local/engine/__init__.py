"""What the real Pulumi engine runs where AWS's own plugin, or Pulumi's Python host, is not to be had.

`bin/` and `language/` hold the two executables that the engine looks for on PATH.
"""
