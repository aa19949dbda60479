"""One line per outcome on standard output, the word first, the payload never.

Written by ourselves: the prefix of Lambda's own logging would stand before the word, and under the log format
JSON Lambda leaves lines that do not come from `logging` as they are.
https://docs.aws.amazon.com/lambda/latest/dg/python-logging.html
"""

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TextIO

from outbox.errors import words_of
from outbox.texts import printable

METRIC_NAMESPACE = "Outbox"
PARKED_METRIC = "RelayParked"

# Lambda sets the variable from the function's log format, before it starts.
WRITES_JSON = os.environ.get("AWS_LAMBDA_LOG_FORMAT") == "JSON"
# Each line that is written becomes a log event on Lambda, whose own runtime ends those of a traceback like this.
# https://github.com/aws/aws-lambda-python-runtime-interface-client/blob/main/awslambdaric/bootstrap.py
TRACEBACK_LINE_END = "\r" if "AWS_LAMBDA_RUNTIME_API" in os.environ else "\n"


def line(*words: str, event_id: str | None = None, level: str = "INFO") -> None:
    """Write one line: the words, or an object with the same words as its `message`.

    Args:
        words: what is searched for, the outcome first.
        event_id: given, it is a field of the object as well.
        level: the object's level.
    """
    text = " ".join(words)
    if WRITES_JSON:
        event = {} if event_id is None else {"event_id": event_id}
        _write(sys.stdout, _entry(level, {"message": text, **event}))
    else:
        _write(sys.stdout, printable(text))


def unexpected(error: Exception) -> None:
    """Write the traceback of an error nobody planned for, to standard error."""
    lines = traceback.format_exception(error)
    if WRITES_JSON:
        details = {"message": words_of(error), "errorType": type(error).__name__, "stackTrace": lines}
        _write(sys.stderr, _entry("ERROR", details))
    else:
        _write(sys.stderr, TRACEBACK_LINE_END.join("".join(lines).splitlines()))


def parked(event_id: str, reason: str, *, function_name: str) -> None:
    """Say that an event stays unsent, in words and as a count of one in CloudWatch."""
    line("RELAY_PARKED", event_id, reason, event_id=event_id, level="ERROR")
    metrics({PARKED_METRIC: 1}, function_name=function_name)


def metrics(counts: Mapping[str, int], *, function_name: str) -> None:
    """Count something in CloudWatch, by name and for one function.

    The line is the embedded metric format: a metric without a call and without a right. With something to count
    it has the level of an error: a function's log level would keep what alarms wait for from CloudWatch.
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
    _write(sys.stdout, _entry("ERROR" if any(counts.values()) else "INFO", metric))


def _entry(level: str, fields: Mapping[str, Any]) -> str:
    """An object with the keys by which Lambda tells time, level and request, as its own entries have them.

    https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
    """
    timestamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    entry = {"timestamp": timestamp, "level": level, **fields}
    if request_id := _request_id():
        entry["requestId"] = request_id
    return json.dumps(entry)


def _request_id() -> str | None:
    """The id that Lambda's runtime gives each record of `logging`; None outside of an invocation."""
    # Complete: a filter of the function's own may look at anything that a record has.
    record = logging.LogRecord("outbox", logging.INFO, __file__, 0, "", None, None)
    for handler in logging.root.handlers:
        handler.filter(record)
    return getattr(record, "aws_request_id", None)


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text + "\n")
    except UnicodeEncodeError:  # outside Lambda the output may have an encoding of its own
        stream.write(text.encode(stream.encoding, "backslashreplace").decode(stream.encoding) + "\n")
    stream.flush()
