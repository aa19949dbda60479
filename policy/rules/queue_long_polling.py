"""A receive waits for messages: an empty answer is a billed request, too.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html
"""

from pack.resources import QUEUE, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

FIX = "Raise receiveWaitTimeSeconds."


def judge(queue: Resource, config: Config) -> Verdicts:
    """Judge how long a receive waits on a queue."""
    wait, least = queue.get("receiveWaitTimeSeconds"), config["minimumSeconds"]
    if wait is UNKNOWN:
        yield queue.pending("receiveWaitTimeSeconds")
    elif (wait or 0) < least:
        yield queue.finding(
            f"Queue '{queue.name}' must let a receive wait {least:g} s; it waits {wait or 0:g} s. {FIX}"
        )


RULE = resource_rule(
    name="queue-long-polling",
    level=Level.MANDATORY,
    description="Receives wait for messages (long polling).",
    remediation=FIX,
    types=[QUEUE],
    judge=judge,
    options={
        "minimumSeconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 20,
            "default": 20,
            "description": "Shortest wait of a receive.",
        }
    },
)
