"""Lets the emulator wait for the lines that a function wrote.

ministack 1.5.33 gives them 50 ms to come through a pipe after the function's answer. A busy machine takes longer
now and then, and the line is missing from the log. Every function here writes at least one line, so a longer wait
for the first one costs nothing.
"""

from ministack.core import lambda_runtime

FIRST_LINE_SECONDS = 1.0
NEXT_LINE_SECONDS = 0.02
ALL_LINES_SECONDS = 1.5


def install() -> None:
    """Replaces the waits of the emulator's reader."""
    waits = (FIRST_LINE_SECONDS, NEXT_LINE_SECONDS, ALL_LINES_SECONDS)
    lambda_runtime.Worker._drain_stderr_bounded.__defaults__ = waits
