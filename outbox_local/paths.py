"""Where the program is that the local AWS deploys."""

from pathlib import Path

PROGRAM_DIRECTORY = Path(__file__).parents[1]
