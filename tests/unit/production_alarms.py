"""The alarms of the prod stack, written out by hand: what each looks at, and when it fires."""

from typing import Any

from tests.unit.aws_mocks import ALARM, NAME_END
from tests.unit.walkthrough import ACCOUNT

COMMAND, RELAY, CONSUMER = (
    f"{name}-function{NAME_END}" for name in ("orders-command", "orders-relay", "sales-consumer")
)
RECONCILER = f"sales-reconciler-function{NAME_END}"
QUEUE, DEAD_LETTERS, FAILURES = (
    f"{name}{NAME_END}" for name in ("sales-queue", "sales-dead-letter-queue", "orders-relay-failures")
)
VISIBLE, AGE = "ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"

# Name, namespace, metric, watched name, statistic, period in seconds, threshold, missing data.
ROWS = (
    ("dead-letters", "AWS/SQS", VISIBLE, DEAD_LETTERS, "Maximum", 60, 1, "ignore"),
    ("oldest-message", "AWS/SQS", AGE, QUEUE, "Maximum", 60, 600, "notBreaching"),
    ("stream-age", "AWS/Lambda", "IteratorAge", RELAY, "Maximum", 60, 600_000, "ignore"),
    ("relay-parked", "Outbox", "RelayParked", RELAY, "Sum", 300, 1, "notBreaching"),
    ("relay-failures", "AWS/SQS", VISIBLE, FAILURES, "Maximum", 60, 1, "ignore"),
    ("command-errors", "AWS/Lambda", "Errors", COMMAND, "Sum", 300, 10, "notBreaching"),
    ("relay-errors", "AWS/Lambda", "Errors", RELAY, "Sum", 300, 3, "notBreaching"),
    ("consumer-errors", "AWS/Lambda", "Errors", CONSUMER, "Sum", 300, 3, "notBreaching"),
    ("reconciler-errors", "AWS/Lambda", "Errors", RECONCILER, "Sum", 300, 1, "notBreaching"),
    ("command-throttles", "AWS/Lambda", "Throttles", COMMAND, "Sum", 300, 10, "notBreaching"),
    ("relay-throttles", "AWS/Lambda", "Throttles", RELAY, "Sum", 300, 10, "notBreaching"),
    ("consumer-throttles", "AWS/Lambda", "Throttles", CONSUMER, "Sum", 300, 10, "notBreaching"),
    ("reconciler-throttles", "AWS/Lambda", "Throttles", RECONCILER, "Sum", 300, 1, "notBreaching"),
    ("reconciler-healed", "Outbox", "ReconcilerHealed", RECONCILER, "Maximum", 3600, 1, "notBreaching"),
    ("reconciler-parked", "Outbox", "ReconcilerParked", RECONCILER, "Maximum", 3600, 1, "notBreaching"),
    (
        "reconciler-conflicting",
        "Outbox",
        "ReconcilerConflicting",
        RECONCILER,
        "Maximum",
        3600,
        1,
        "notBreaching",
    ),
    ("reconciler-silent", "AWS/Lambda", "Invocations", RECONCILER, "Sum", 7200, 1, "breaching"),
)


def alarm_inputs() -> dict[tuple[str, str], dict[str, Any]]:
    """Every alarm with all its inputs but the description."""
    return {
        (ALARM, f"outbox-{name}"): {
            "namespace": namespace,
            "metricName": metric,
            "dimensions": {"QueueName" if namespace == "AWS/SQS" else "FunctionName": watched},
            "statistic": statistic,
            "period": period,
            "evaluationPeriods": 1,
            "threshold": threshold,
            "comparisonOperator": "LessThanThreshold"
            if name == "reconciler-silent"
            else "GreaterThanOrEqualToThreshold",
            "treatMissingData": missing,
            "alarmActions": [],
            "okActions": [],
        }
        for name, namespace, metric, watched, statistic, period, threshold, missing in ROWS
    }


def alarm_arns(region: str = "us-east-1") -> list[str]:
    """The alarms' ARNs in the order in which they are shown."""
    return [f"arn:aws:cloudwatch:{region}:{ACCOUNT}:alarm:outbox-{row[0]}{NAME_END}" for row in ROWS]
