"""Components built from the few values that matter to a test."""

from typing import Any

from components.idempotent_consumer import IdempotentConsumer
from components.relay import Relay, RelayArgs
from tests.unit.recording import Recording, run

STREAM_ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/t/stream/2026-09-05T12:00:00.000"
QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012:q"


def relay_args(**changes: Any) -> RelayArgs:
    """Args of a relay from a stream to one queue, with some changed."""
    args: dict[str, Any] = {
        "stream_arn": STREAM_ARN,
        "queue_urls": ["https://q.test/q"],
        "queue_arns": [QUEUE_ARN],
    }
    return args | changes  # type: ignore[return-value] # tests hand over wrong values as well


def run_relay(**changes: Any) -> Recording:
    return run(lambda: Relay("orders", relay_args(**changes)))


def run_consumer(**changes: Any) -> Recording:
    args: dict[str, Any] = changes
    return run(lambda: IdempotentConsumer("sales", args))  # type: ignore[arg-type] # wrong values as well
