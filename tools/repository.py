"""The repository itself, for its tests and tools; the packages work on the program of the working directory."""

from pathlib import Path

PROGRAM_DIRECTORY = Path(__file__).parents[1]
