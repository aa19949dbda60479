"""The handlers on the simulated AWS, and a long run of them under faults: `python -m ops.soak`.

As on Lambda, the handlers' folder is a root of the import path.
"""

import sys

from local.paths import PROGRAM_DIRECTORY

if (handlers := str(PROGRAM_DIRECTORY / "handlers")) not in sys.path:
    sys.path.append(handlers)
