"""The script `outbox`: the command line of this checkout.

The one module at the top, so that an installed package brings no folder called `local` or `ops` with it.
"""

import sys
from pathlib import Path

CHECKOUT = Path(__file__).parent


def main() -> None:
    """Runs the command line where the repository is around it, and says what is missing elsewhere."""
    if not (CHECKOUT / "ops").is_dir():
        sys.exit(
            "`outbox` works in a checkout of the repository: clone it, run `make setup`, and use .venv/bin/outbox."
        )
    sys.path.insert(0, str(CHECKOUT))
    from ops.entry import main as run  # noqa: PLC0415 importable since the line above

    run()
