"""Reads CloudWatch's newest values of the metrics that no counter of a service gives."""

from datetime import datetime, timedelta
from typing import Any

from outbox_cli.stack.deployed import Stack

LOOK_BACK = timedelta(minutes=15)
PERIOD_SECONDS = 60


def newest_values(stack: Stack, now: datetime) -> dict[str, float | None]:
    """The age of each queue's oldest message (seconds) and the lag of the relay's iterator (milliseconds).

    None where CloudWatch has no value of the last quarter of an hour: a queue at rest, a function that was not
    called, and the local AWS give none, which is not the same as zero.
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
    https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
    """
    wanted = {
        "queue": _oldest_message(stack["queue_arn"]),
        "dead_letter_queue": _oldest_message(stack["dead_letter_queue_arn"]),
        "iterator": _metric("AWS/Lambda", "IteratorAge", "FunctionName", stack["relay_function_name"]),
    }
    answer = stack.clients("cloudwatch").get_metric_data(
        MetricDataQueries=[
            {"Id": name, "MetricStat": {"Metric": metric, "Period": PERIOD_SECONDS, "Stat": "Maximum"}}
            for name, metric in wanted.items()
        ],
        StartTime=now - LOOK_BACK,
        EndTime=now,
        ScanBy="TimestampDescending",
    )
    found = {result["Id"]: result["Values"] for result in answer["MetricDataResults"]}
    return {name: next(iter(found.get(name, [])), None) for name in wanted}


def _oldest_message(queue_arn: str) -> dict[str, Any]:
    return _metric("AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName", queue_arn.rpartition(":")[2])


def _metric(namespace: str, name: str, dimension: str, value: str) -> dict[str, Any]:
    return {
        "Namespace": namespace,
        "MetricName": name,
        "Dimensions": [{"Name": dimension, "Value": value}],
    }
