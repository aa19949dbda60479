"""The emulator's own process: ministack with its gaps filled, serving on an inherited socket.

`outbox_local.emulator.process` starts it as `python -m outbox_local.emulator.server FD`; nothing imports it.
"""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
import threading

from hypercorn.asyncio import serve
from hypercorn.config import Config
from ministack.app import app
from ministack.services import eventbridge, lambda_svc

from outbox_local.emulator import (
    authorization,
    authorization_log,
    execution_environments,
    function_logs,
    function_runtime,
    guard,
)


def main() -> None:
    """Fills the gaps, then serves until the parent kills it or closes its end of the pipe."""
    authorization.install()
    execution_environments.install()
    function_runtime.install()
    function_logs.install()
    guard.install()
    authorization_log.install()
    # The mappings are stored here and run by outbox_local.event_sources: the emulator's own stream mapping ignores
    # partial failures, retries, windows and bisecting, so it loses records (measured on 1.5.33).
    lambda_svc._ensure_poller = _leave_mappings_to_our_event_sources
    # Rules by the clock are run by outbox_local.schedules, which asks for the permission and knows the speed.
    eventbridge.start_scheduler = _leave_rules_to_our_schedules

    threading.Thread(target=_end_with_parent, daemon=True).start()
    config = Config()
    config.bind = [f"fd://{sys.argv[1]}"]
    config.loglevel = "WARNING"
    asyncio.run(serve(guard.guarded(authorization_log.answering(app)), config))


def _leave_mappings_to_our_event_sources() -> None:
    """Replaces the emulator's start of its pollers, and takes back what only a poller could know."""
    for mapping in lambda_svc._esms.values():
        mapping.pop("LastProcessingResult", None)


def _leave_rules_to_our_schedules() -> None:
    """Replaces the emulator's start of its own timer."""


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    shutil.rmtree(
        tempfile.gettempdir(), ignore_errors=True
    )  # ours alone: see TMPDIR in outbox_local.emulator.process
    os.killpg(os.getpgid(0), signal.SIGKILL)


if __name__ == "__main__":
    main()
