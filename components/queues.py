"""The one kind of queue in use: standard, long polling, encrypted with a key of SQS's own."""

import pulumi
from pulumi_aws import sqs

RECEIVE_WAIT_SECONDS = 20


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
        message_retention_seconds=retention_seconds,
        receive_wait_time_seconds=RECEIVE_WAIT_SECONDS,
        sqs_managed_sse_enabled=True,
        visibility_timeout_seconds=visibility_timeout_seconds,
        redrive_policy=redrive_policy,
        opts=pulumi.ResourceOptions(parent=parent),
    )
