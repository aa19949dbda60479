"""The components in a program of one's own: the orders they come with, and stock in a second domain.

On a local AWS, from the repository: `.venv/bin/python -m engine up examples/python`.
"""

import pulumi
from transactional_outbox import IdempotentConsumer, OutboxSource, Relay


def outbox(name: str, source: OutboxSource, consumer: IdempotentConsumer, domain: str | None = None) -> None:
    """Carries the source's events to the consumer, and exports what the operator's verbs read."""
    relay = Relay(
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
            "domain": domain,
            "command_function_name": source.function_name,
            "command_log_group_name": source.log_group_name,
            "source_table_name": source.table_name,
            "relay_function_name": relay.function_name,
            "relay_log_group_name": relay.log_group_name,
            "relay_mapping_uuid": relay.mapping_uuid,
            "consumer_function_name": consumer.function_name,
            "consumer_log_group_name": consumer.log_group_name,
            "consumer_mapping_uuid": consumer.mapping_uuid,
            "projection_table_name": consumer.projection_table_name,
            "queue_url": consumer.queue_url,
            "queue_arn": consumer.queue_arn,
            "dead_letter_queue_url": consumer.dead_letter_queue_url,
            "dead_letter_queue_arn": consumer.dead_letter_queue_arn,
        },
    )


# Its functions are the package's own, so it takes the walkthrough's orders.
outbox("shop", OutboxSource("shop", {}), IdempotentConsumer("shop-sales", {"queue_batch_size": 10}), "orders")
# Its own domain: `handlers/movements.py`, and two functions of a few lines that use it.
outbox(
    "stock",
    OutboxSource("stock", {"code": "handlers", "function_memory_megabytes": 512}),
    IdempotentConsumer("stock-levels", {"code": "handlers", "maximum_receives": 10}),
)
