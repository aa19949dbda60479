"""The stack: orders stored with their events, relayed to a queue, added to the sales total once."""

from components import IdempotentConsumer, Monitoring, OutboxSource, Reconciler, Relay, export_outbox
from components.settings import read_settings

settings = read_settings()

source = OutboxSource("orders", settings.source)
consumer = IdempotentConsumer("sales", settings.consumer)
relay = Relay(
    "orders",
    {
        **settings.relay,
        "stream_arn": source.stream_arn,
        "stream_view_type": source.stream_view_type,
        "queues": [consumer.queue],
    },
)
reconciler, monitoring = None, None
if settings.reconciler is not None:
    reconciler = Reconciler(
        "sales",
        {
            **settings.reconciler,
            "source_table_name": source.table_name,
            "index_name": source.index_name,
            "index_arn": source.index_arn,
            "projection_table_name": consumer.projection_table_name,
            "projection_table_arn": consumer.projection_table_arn,
            "queue_url": consumer.queue_url,
            "queue_arn": consumer.queue_arn,
        },
    )
if settings.monitoring is not None:
    monitoring = Monitoring(
        "outbox",
        {
            **settings.monitoring,
            "command_function_name": source.function_name,
            "relay_function_name": relay.function_name,
            "consumer_function_name": consumer.function_name,
            "reconciler_function_name": reconciler.function_name if reconciler else None,
            "queue_name": consumer.queue_name,
            "dead_letter_queue_name": consumer.dead_letter_queue_name,
            "relay_failure_queue_name": relay.failure_queue_name,
        },
    )
export_outbox(source, relay, consumer, reconciler=reconciler, monitoring=monitoring, domain="orders")
