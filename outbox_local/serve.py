"""The background process of `outbox local up`: runs the local AWS until it is told to stop."""

import os
import signal
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from outbox_local.emulator import reserve_port
from outbox_local.environment import run_local_aws
from outbox_local.errors import LocalAwsError
from outbox_local.paths import program_directory
from outbox_local.program import read_stack_config, region_override
from outbox_local.running import RunningAws, StateFolder


def main(folder_path: str, stack: str, region: str, port: str, speed: str) -> int:
    """Serves until SIGTERM; the last thing it leaves is its log."""
    folder = StateFolder(Path(folder_path))
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    try:
        directory = program_directory()
        config = read_stack_config(directory, stack, region_override(region or None))
        listener = reserve_port(int(port))
        with folder.locked(), run_local_aws(listener, config, directory, speed=float(speed)) as aws:
            folder.write(
                RunningAws(
                    **asdict(aws.clients.endpoint),
                    pid=os.getpid(),
                    stack=stack,
                    speed=float(speed),
                    outputs=aws.deployment.outputs,
                )
            )
            stopped.wait()
            folder.state_path.unlink(missing_ok=True)
    except LocalAwsError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
