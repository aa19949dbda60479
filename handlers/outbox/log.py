"""One line per outcome on standard output, the word first, the payload never.

Written by ourselves: the prefix of Lambda's own logging would stand before the word, and under the log format
JSON Lambda leaves lines that do not come from `logging` as they are.
https://docs.aws.amazon.com/lambda/latest/dg/python-logging.html
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TextIO

from outbox.texts import printable

METRIC_NAMESPACE = "Outbox"
PARKED_METRIC = "RelayParked"

# Lambda sets the variable from the function's log format, before it starts.
WRITES_JSON = os.environ.get("AWS_LAMBDA_LOG_FORMAT") == "JSON"


def line(*words: str, event_id: str | None = None, level: str = "INFO") -> None:
    """Write one line: the words, or an object with the same words as its `message`.

    Args:
        words: what is searched for, the outcome first.
        event_id: given, it is a field of the object as well.
        level: the object's level.
    """
    text = " ".join(words)
    if WRITES_JSON:
        _write(sys.stdout, _entry(level, text, {} if event_id is None else {"event_id": event_id}))
    else:
        _write(sys.stdout, printable(text))


def unexpected(error: Exception) -> None:
    """Write the traceback of an error nobody planned for, to standard error."""
    if WRITES_JSON:
        details = {"errorType": type(error).__name__, "stackTrace": traceback.format_exception(error)}
        _write(sys.stderr, _entry("ERROR", str(error), details))
    else:
        traceback.print_exception(error)


def parked(event_id: str, reason: str, *, function_name: str) -> None:
    """Say that an event stays unsent, in words and as a count of one in CloudWatch."""
    line("RELAY_PARKED", event_id, reason, event_id=event_id, level="ERROR")
    metrics({PARKED_METRIC: 1}, function_name=function_name)


def metrics(counts: Mapping[str, int], *, function_name: str) -> None:
    """Count something in CloudWatch, by name and for one function.

    The line is the embedded metric format: a metric without a call and without a right.
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    directive = {
        "Namespace": METRIC_NAMESPACE,
        "Dimensions": [["FunctionName"]],
        "Metrics": [{"Name": name, "Unit": "Count"} for name in counts],
    }
    metric = {
        "_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [directive]},
        "FunctionName": function_name,
        **counts,
    }
    _write(sys.stdout, json.dumps(metric))


def _entry(level: str, message: str, fields: Mapping[str, Any]) -> str:
    """An object with the keys by which Lambda tells time and level, as its own entries have them.

    https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
    """
    timestamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"timestamp": timestamp, "level": level, "message": message, **fields})


def _write(stream: TextIO, text: str) -> None:
    stream.write(text + "\n")
    stream.flush()
