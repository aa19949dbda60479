"""Queues that take messages which others could not handle."""

import json
from collections.abc import Mapping
from typing import Any

from pack.resources import MAPPING, QUEUE, REDRIVE_POLICY, Resource
from pack.stack import Stack
from pack.values import UNKNOWN

# What SQS sets where the program sets nothing.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
DEFAULT_RETENTION_SECONDS = 345_600
DEFAULT_VISIBILITY_SECONDS = 30


def redrive_of(stack: Stack, queue: Resource) -> tuple[Resource, Any]:
    """The resource that holds a queue's redrive policy, and the policy: the queue, or a resource of its own."""
    for separate in stack.of(REDRIVE_POLICY):
        if queue in stack.targets(separate, "queueUrl", types=[QUEUE]):
            return separate, _parsed(separate.get("redrivePolicy"))
    return queue, _parsed(queue.get("redrivePolicy"))


def dead_letter_queues_of(stack: Stack, holder: Resource, redrive: Any) -> list[Resource]:
    """The queue that a redrive policy names, if it is in this stack."""
    target = redrive.get("deadLetterTargetArn") if isinstance(redrive, Mapping) else redrive
    return stack.targets(holder, "redrivePolicy", value=target or "", types=[QUEUE])


def taking_failures(stack: Stack) -> set[str]:
    """URNs of the dead-letter and failure queues: those that need no dead-letter queue themselves."""
    queues = [
        found
        for queue in stack.of(QUEUE)
        for found in dead_letter_queues_of(stack, *redrive_of(stack, queue))
        if found != queue
    ]
    path = ("destinationConfig", "onFailure", "destinationArn")
    for mapping in stack.of(MAPPING):
        queues += stack.targets(mapping, *path, types=[QUEUE])
    return {queue.urn for queue in queues}


def _parsed(policy: Any) -> Any:
    """An object, `UNKNOWN`, or `None` for what is absent or no JSON object."""
    if policy is UNKNOWN or isinstance(policy, Mapping):
        return policy
    try:
        parsed = json.loads(policy or "null")
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None
