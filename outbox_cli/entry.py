"""Where the script `outbox` starts: before the long imports, so that Ctrl-C is one sentence from the first moment."""

import signal
import sys
from contextlib import suppress
from types import FrameType

from outbox_cli.exit_codes import INTERRUPTED, WRONG_USE

OF_THE_EXTRA = {"boto3", "botocore", "rich", "typer"}
NEEDS_THE_EXTRA = "`outbox` needs {name}: run `pip install 'transactional-outbox[cli]'`.\n"
SIGNAL_EXIT_BASE = 128  # a shell's own convention for a program that a signal has ended


def main() -> None:
    """Runs the command line; SIGTERM and SIGHUP stop everything that was started, as Ctrl-C does."""
    received: signal.Signals | None = None
    is_importing = True  # an exception in the middle of an import can be lost there, and the verb would run

    def interrupt(number: int, _frame: FrameType | None) -> None:
        nonlocal received
        received = signal.Signals(number)
        if not is_importing:
            raise KeyboardInterrupt

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is not signal.SIG_IGN:  # as nohup wants it
            signal.signal(each, interrupt)
    try:
        from outbox_cli.main import run  # noqa: PLC0415 see above

        is_importing = False
        if received is not None:
            raise KeyboardInterrupt
        code = run()
    except ModuleNotFoundError as error:
        if error.name not in OF_THE_EXTRA:
            raise
        sys.stderr.write(NEEDS_THE_EXTRA.format(name=error.name))
        code = WRONG_USE
    except KeyboardInterrupt:
        with suppress(OSError, AttributeError):  # full, or closed
            sys.stderr.write("Stopped on request.\n")
        code = INTERRUPTED
    if code == INTERRUPTED and received is not None:
        code = SIGNAL_EXIT_BASE + received
    sys.exit(code)


if __name__ == "__main__":
    main()
