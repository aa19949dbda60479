"""The components in a program of one's own: the orders they come with, and stock in a second domain.

On a local AWS, from the repository: `.venv/bin/python -m engine up examples/python`.
"""

from transactional_outbox import IdempotentConsumer, OutboxSource, Relay, export_outbox


def outbox(name: str, source: OutboxSource, consumer: IdempotentConsumer, domain: str | None = None) -> None:
    """Carries the source's events to the consumer, and exports what the operator's verbs read."""
    relay = Relay(
        name,
        {
            "stream_arn": source.stream_arn,
            "stream_view_type": source.stream_view_type,
            "queues": [consumer.queue],
        },
    )
    export_outbox(source, relay, consumer, name=name, domain=domain)


# Its functions are the package's own, so it takes the walkthrough's orders.
outbox("shop", OutboxSource("shop", {}), IdempotentConsumer("shop-sales", {}), "orders")
# Its own domain: `handlers/movements.py`, and two functions of a few lines that use it.
outbox(
    "stock",
    OutboxSource("stock", {"code": "handlers", "function_memory_megabytes": 512}),
    IdempotentConsumer("stock-levels", {"code": "handlers", "maximum_receives": 10}),
)
