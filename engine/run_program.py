"""Runs one Pulumi program for the engine, by the Python of the program's own environment.

Started as a file by `engine.language_host`, so it may import the SDK and nothing of this repository.
The execution's settings come as JSON on the standard input: configuration is no business of a process list.
"""

import asyncio
import json
import os
import runpy
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

ALREADY_SHOWN = 32  # the exit code that tells the host: the user has been told, add nothing


def main() -> int:
    """Runs the program; 0 when it came to its end and every resource it registered was accepted."""
    import pulumi  # noqa: PLC0415 the host imports this file for its constant alone
    import pulumi.runtime  # noqa: PLC0415

    # How the engine ends a program: at once, without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    execution: dict[str, Any] = json.load(sys.stdin)
    program = Path(execution["program"])
    if not program.is_file():
        program = program / "__main__.py"
    # As `python __main__.py` would have it, in place of this file's own folder.
    sys.path[0] = str(program.parent)
    pulumi.runtime.configure(
        pulumi.runtime.Settings(
            monitor=execution["monitor"],
            engine=execution["engine"],
            project=execution["project"],
            stack=execution["stack"],
            organization=execution["organization"],
            root_directory=execution["root_directory"],
            parallel=execution["parallel"],
            dry_run=execution["dry_run"],
        )
    )
    pulumi.runtime.set_all_config(execution["config"], execution["secret_keys"])
    try:
        asyncio.run(pulumi.runtime.run_in_stack(lambda: _execute(program)))
    except pulumi.RunError as error:
        pulumi.log.error(str(error))
    except Exception:  # noqa: BLE001 the program is the user's; whatever it raises is theirs to read
        pulumi.log.error(f"The program failed:\n{traceback.format_exc()}")
    else:
        return 0
    return ALREADY_SHOWN


def _execute(program: Path) -> None:
    runpy.run_path(str(program), run_name="__main__")


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # threads of the SDK's channel must not hold up the end
