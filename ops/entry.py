"""Where the script `outbox` starts: before the long imports, so that Ctrl-C is one sentence from the first moment."""

import signal
import sys
from types import FrameType

SIGNAL_EXIT_BASE = 128  # a shell's own convention for a program that a signal has ended


def main() -> None:
    """Runs the command line; SIGTERM and SIGHUP stop everything that was started, as Ctrl-C does."""
    received = signal.SIGINT

    def interrupt(number: int, _frame: FrameType | None) -> None:
        nonlocal received
        received = signal.Signals(number)
        raise KeyboardInterrupt

    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, interrupt)
    try:
        from ops.main import run  # noqa: PLC0415 see above

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped on request.\n")
        code = SIGNAL_EXIT_BASE + received
    sys.exit(code)


if __name__ == "__main__":
    main()
