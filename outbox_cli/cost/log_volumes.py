"""Bytes of log that an event leaves: its outcome in each function, and what Lambda writes about each run.

The functions' lines are exact, at the longest order id; a test compares them with what `outbox.log` writes.
"""

from collections.abc import Mapping
from fractions import Fraction

# By the setting `logFormat`. A line of a function: everything around the word of the outcome.
LINE_BYTES = {"Text": 56, "JSON": 252}
# Assumed: Lambda's START, END and REPORT lines, or its entries platform.start and platform.report.
# https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
RUN_BYTES = {"Text": 300, "JSON": 420}

ACCEPTED, FORWARDED, APPLIED, REPEATED = "ACCEPTED", "FORWARDED", "APPLIED", "DUPLICATE_IGNORED"


def log_bytes_per_event(log_format: str, *, runs: Fraction, duplicates: Fraction) -> Fraction:
    """Bytes of one event with so many runs of functions and repeated deliveries, on average."""
    lines: Mapping[str, Fraction] = {
        ACCEPTED: Fraction(1),
        FORWARDED: Fraction(1),
        APPLIED: Fraction(1),
        REPEATED: duplicates,
    }
    written = sum(
        (count * (LINE_BYTES[log_format] + len(word)) for word, count in lines.items()), Fraction(0)
    )
    return RUN_BYTES[log_format] * runs + written
