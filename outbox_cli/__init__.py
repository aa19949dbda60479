"""The operator's verbs: the same functions on AWS and on the local AWS, and the command line over them.

A verb that judges an event does so with the consumer's own code: as on Lambda, the handlers' folder is a root of
the import path.
"""

import sys
from pathlib import Path

PROGRAM_DIRECTORY = Path(__file__).parents[1]

if (handlers := str(PROGRAM_DIRECTORY / "handlers")) not in sys.path:
    sys.path.append(handlers)
