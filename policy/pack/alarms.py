"""The metrics by which an outbox is watched, and how an alarm on each has to be set to fire for its cause."""

from dataclasses import dataclass

from pack.resources import FUNCTION, QUEUE, Resource
from pack.stack import Stack

DIMENSIONS = ("QueueName", "FunctionName")
DEAD_LETTERS = ("AWS/SQS", "ApproximateNumberOfMessagesVisible")
# Counts what people send to a dead-letter queue, never what SQS moves there.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
SENT_BY_PEOPLE = ("AWS/SQS", "NumberOfMessagesSent")


@dataclass(frozen=True)
class Signal:
    """Settings of an alarm on a metric: its statistic, and the meaning of a period without data.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
    """

    dimension: str
    statistic: str
    missing: str
    below: bool = False


# An event counts once, so it is summed; a depth or an age is what it is, so the worst is taken. What is counted
# only when it happens is well without data; a depth or an age in the stream is unknown then and stays what it was.
SIGNALS = {
    DEAD_LETTERS: Signal("QueueName", "Maximum", "ignore"),
    ("AWS/SQS", "ApproximateAgeOfOldestMessage"): Signal("QueueName", "Maximum", "notBreaching"),
    ("AWS/Lambda", "IteratorAge"): Signal("FunctionName", "Maximum", "ignore"),
    ("AWS/Lambda", "Errors"): Signal("FunctionName", "Sum", "notBreaching"),
    ("AWS/Lambda", "Throttles"): Signal("FunctionName", "Sum", "notBreaching"),
    ("AWS/Lambda", "Invocations"): Signal("FunctionName", "Sum", "breaching", below=True),
    ("Outbox", "RelayParked"): Signal("FunctionName", "Sum", "notBreaching"),
    ("Outbox", "ReconcilerHealed"): Signal("FunctionName", "Maximum", "notBreaching"),
    ("Outbox", "ReconcilerParked"): Signal("FunctionName", "Maximum", "notBreaching"),
    ("Outbox", "ReconcilerConflicting"): Signal("FunctionName", "Maximum", "notBreaching"),
}


def watched_by(stack: Stack, alarm: Resource) -> list[Resource]:
    """The queues and functions of the stack that an alarm's dimensions name."""
    return [
        found
        for dimension in DIMENSIONS
        for found in stack.targets(alarm, "dimensions", dimension, types=[QUEUE, FUNCTION])
    ]
