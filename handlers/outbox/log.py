"""One line per outcome on standard output, the word first, the payload never.

Written plainly, because the prefix of Lambda's own logging would stand before the word.
"""

import json
import sys
import time
import traceback

METRIC_NAMESPACE = "Outbox"
PARKED_METRIC = "RelayParked"


def line(*words: str) -> None:
    """Write one line; characters that could start another or hide in one are escaped."""
    text = " ".join(words)
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    sys.stdout.write(safe + "\n")
    sys.stdout.flush()


def unexpected(error: Exception) -> None:
    """Write the traceback of an error nobody planned for, to standard error."""
    traceback.print_exception(error)


def parked(event_id: str, reason: str, *, function_name: str) -> None:
    """Say that an event stays unsent, in words and as a count of one in CloudWatch.

    The second line is the embedded metric format: a metric without a call and without a right.
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    line("RELAY_PARKED", event_id, reason)
    directive = {
        "Namespace": METRIC_NAMESPACE,
        "Dimensions": [["FunctionName"]],
        "Metrics": [{"Name": PARKED_METRIC, "Unit": "Count"}],
    }
    metric = {
        "_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [directive]},
        "FunctionName": function_name,
        PARKED_METRIC: 1,
    }
    line(json.dumps(metric))
