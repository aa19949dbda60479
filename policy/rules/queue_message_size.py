"""A queue takes the largest message there is: the relay cannot send a body that its queue refuses.

Such a message is stored in the outbox and tried again until its record expires. What SQS sets by itself has
changed over time, so the size is stated.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
"""

from pack.resources import QUEUE, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

FIX = "Raise maxMessageSize."


def judge(queue: Resource, config: Config) -> Verdicts:
    """Judge the largest message that a queue takes."""
    size, least = queue.get("maxMessageSize"), int(config["minimumBytes"])
    if size is UNKNOWN:
        yield queue.pending("maxMessageSize")
    elif (size or 0) < least:
        found = f"takes {int(size)}" if size else "does not say what it takes"
        yield queue.finding(
            f"Queue '{queue.name}' must take messages of {least} bytes; it {found}, and a larger message is "
            f"stored and never sent. {FIX}"
        )


RULE = resource_rule(
    name="queue-message-size",
    level=Level.MANDATORY,
    description="Queues take messages of any size that SQS allows.",
    remediation=FIX,
    types=[QUEUE],
    judge=judge,
    options={
        "minimumBytes": {
            "type": "integer",
            "minimum": 1024,
            "maximum": 1_048_576,
            "default": 1_048_576,
            "description": "Smallest limit on the size of a message.",
        }
    },
)
