"""Authorizes calls by AWS's IAM action and resource, where the emulator uses others.

Measured on ministack 1.5.33 under AUTH=true; `tests/outbox_local/test_emulator.py` holds each point.
"""

import json
from collections.abc import Callable
from typing import Any

from ministack.core import iam_actions
from ministack.services import dynamodb_streams

# SendMessageBatch and DeleteMessageBatch are not IAM actions: the single ones cover them.
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
ACTION_OF_BATCH_CALL = {
    "sqs:SendMessageBatch": "sqs:SendMessage",
    "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
}


STREAMS_SERVICE = "dynamodbstreams"  # the emulator's own name for it


def install() -> None:
    """Replaces the emulator's readers of a call's action and of its resource."""
    iam_actions.extract_iam_action = _with_batch_actions_aliased(iam_actions.extract_iam_action)
    iam_actions.extract_resource_arn = _with_arns_from_bodies(iam_actions.extract_resource_arn)


def _with_batch_actions_aliased(original: Callable[..., str | None]) -> Callable[..., str | None]:
    def extract_iam_action(*args: object) -> str | None:
        action = original(*args)
        return ACTION_OF_BATCH_CALL.get(action, action) if action else action

    return extract_iam_action


def _with_arns_from_bodies(original: Callable[..., str]) -> Callable[..., str]:
    """A stream, and a function that is being made, are named in the body alone."""

    def extract_resource_arn(service: str, *request: Any) -> str:
        method, path, headers, body, *rest = request
        if service == STREAMS_SERVICE and (stream_arn := named_stream(body)):
            return stream_arn
        if service == "lambda" and method == "POST" and path.rstrip("/").endswith("/functions"):
            path = f"{path.rstrip('/')}/{json.loads(body)['FunctionName']}"
        return original(service, method, path, headers, body, *rest)

    return extract_resource_arn


def named_stream(body: bytes) -> str | None:
    """The stream that a DescribeStream, GetShardIterator or GetRecords request names, if it names one.

    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
    """
    try:
        request = json.loads(body or b"{}")
    except ValueError:
        return None
    if not isinstance(request, dict):
        return None
    stream_arn = request.get("StreamArn")
    if stream_arn is None and isinstance(request.get("ShardIterator"), str):
        stream_arn = (dynamodb_streams._decode_iterator(request["ShardIterator"]) or {}).get("arn")
    return stream_arn if isinstance(stream_arn, str) else None
