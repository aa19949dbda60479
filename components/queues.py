"""The one kind of queue in use: standard, long polling, encrypted with a key of SQS's own."""

from typing import NotRequired, TypedDict

import pulumi
from pulumi_aws import sqs

RECEIVE_WAIT_SECONDS = 20

# What the handlers hold a body to before they store it. The AWS provider's own default is a quarter of it,
# and a larger event would commit and then never be sent.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
MAXIMUM_MESSAGE_BYTES = 1_048_576


class RelayQueue(TypedDict):
    """A queue that a relay sends to; in Python, `consumer.queue`."""

    url: pulumi.Input[str]
    """URL of the queue."""
    arn: pulumi.Input[str]
    """ARN of the same queue."""
    event_types: NotRequired[list[str]]
    """Types of the events that it gets, by the `type` of their bodies; all, if none are named."""


def standard_queue(
    name: str,
    *,
    retention_seconds: int,
    parent: pulumi.Resource,
    visibility_timeout_seconds: int | None = None,
    redrive_policy: pulumi.Input[str] | None = None,
) -> sqs.Queue:
    """A queue; without a visibility timeout it has SQS's own, which suits queues that only people read."""
    return sqs.Queue(
        name,
        max_message_size=MAXIMUM_MESSAGE_BYTES,
        message_retention_seconds=retention_seconds,
        receive_wait_time_seconds=RECEIVE_WAIT_SECONDS,
        sqs_managed_sse_enabled=True,
        visibility_timeout_seconds=visibility_timeout_seconds,
        redrive_policy=redrive_policy,
        opts=pulumi.ResourceOptions(parent=parent),
    )
