"""A queue keeps messages for at least a day: what outlasts a pause of its consumer, or of an operator, is not lost.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
"""

from pack.queues import DEFAULT_RETENTION_SECONDS
from pack.resources import QUEUE, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

FIX = "Raise messageRetentionSeconds."


def judge(queue: Resource, config: Config) -> Verdicts:
    """Judge how long a queue keeps a message, whether it brings messages or takes failures."""
    kept, least = queue.get("messageRetentionSeconds"), config["minimumSeconds"]
    if kept is UNKNOWN:
        yield queue.pending("messageRetentionSeconds")
    elif (kept or DEFAULT_RETENTION_SECONDS) < least:
        yield queue.finding(
            f"Queue '{queue.name}' must keep messages for {least:g} s or more; it keeps them "
            f"{kept or DEFAULT_RETENTION_SECONDS:g} s, and what nobody took by then is lost. {FIX}"
        )


RULE = resource_rule(
    name="queue-retention",
    level=Level.MANDATORY,
    description="Queues keep messages for a day or longer.",
    remediation=FIX,
    types=[QUEUE],
    judge=judge,
    options={
        "minimumSeconds": {
            "type": "integer",
            "minimum": 60,
            "maximum": 1_209_600,
            "default": 86_400,
            "description": "Shortest time that a message is kept.",
        }
    },
)
