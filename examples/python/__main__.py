"""The components in a program of one's own: the orders they come with, and stock in a second domain.

On a local AWS, from the repository: `.venv/bin/python -m engine up examples/python`.
"""

import pulumi
from transactional_outbox import IdempotentConsumer, OutboxSource, Relay


def outbox(name: str, source: OutboxSource, consumer: IdempotentConsumer) -> None:
    """Carries the source's events to the consumer, and exports what an operator needs."""
    Relay(
        name,
        {
            "stream_arn": source.stream_arn,
            "stream_view_type": source.stream_view_type,
            "queue_urls": [consumer.queue_url],
            "queue_arns": [consumer.queue_arn],
            "stream_batch_size": 10,
        },
    )
    pulumi.export(
        name,
        {
            "command_function_name": source.function_name,
            "projection_table_name": consumer.projection_table_name,
            "queue_url": consumer.queue_url,
            "queue_arn": consumer.queue_arn,
        },
    )


outbox("shop", OutboxSource("shop", {}), IdempotentConsumer("shop-sales", {"queue_batch_size": 10}))
# Its own domain: `handlers/movements.py`, and two functions of a few lines that use it.
outbox(
    "stock",
    OutboxSource("stock", {"code": "handlers", "function_memory_megabytes": 512}),
    IdempotentConsumer("stock-levels", {"code": "handlers", "maximum_receives": 10}),
)
