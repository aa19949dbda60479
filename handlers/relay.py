"""Relay function: put every stored event on the queues, in the order of the table's stream."""

import os

from outbox.clients import sqs_client
from outbox.forward import forward
from outbox.invocation import BatchResponse, LambdaContext, records_of
from outbox.retry import Backoff
from outbox.settings import queue_types, queue_urls

QUEUE_URLS = queue_urls(os.environ)
QUEUE_TYPES = queue_types(os.environ)
SQS = sqs_client()


def lambda_handler(event: object, context: LambdaContext) -> BatchResponse:
    """Forward one batch of stream records; the answer names the record to start from again."""
    return forward(
        SQS,
        queue_urls=QUEUE_URLS,
        queue_types=QUEUE_TYPES,
        records=records_of(event),
        backoff=Backoff.within(context),
        function_name=context.function_name,
    )
