"""Messages are encrypted at rest with SQS's own key, which costs nothing.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-sqs-sse-queue.html
"""

from pack.resources import QUEUE, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

FIX = "Set sqsManagedSseEnabled to true."


def judge(queue: Resource, _config: Config) -> Verdicts:
    """Judge a queue's encryption; a KMS key encrypts too, and is for cost-no-customer-managed-key."""
    encrypted = queue.get("sqsManagedSseEnabled")
    if queue.get("kmsMasterKeyId"):
        return
    if encrypted is UNKNOWN:
        yield queue.pending("sqsManagedSseEnabled")
    elif encrypted is not True:
        yield queue.finding(f"Queue '{queue.name}' must say that it is encrypted; it does not. {FIX}")


RULE = resource_rule(
    name="queue-encrypted",
    level=Level.MANDATORY,
    description="Queues are encrypted at rest.",
    remediation=FIX,
    types=[QUEUE],
    judge=judge,
)
