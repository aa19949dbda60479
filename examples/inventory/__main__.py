"""Stock is reserved and shipped: one source, one relay, and two consumers that each know every event."""

from pathlib import Path

from transactional_outbox import IdempotentConsumer, OutboxSource, Relay, export_outbox

HANDLERS = str(Path(__file__).parent / "handlers")

source = OutboxSource("stock", {"code": HANDLERS, "handler": "accept.lambda_handler"})
levels = IdempotentConsumer(
    "levels", {"code": HANDLERS, "handler": "levels.lambda_handler", "queue_batch_size": 10}
)
reservations = IdempotentConsumer(
    "reservations", {"code": HANDLERS, "handler": "reservations.lambda_handler", "queue_batch_size": 10}
)
relay = Relay(
    "stock",
    {
        "stream_arn": source.stream_arn,
        "stream_view_type": source.stream_view_type,
        "queues": [levels.queue, reservations.queue],
        "stream_batch_size": 10,
    },
)

# Two outboxes for the operator's verbs, as `outbox status --outbox levels` shows one.
export_outbox(source, relay, levels, name="levels", domain="inventory")
export_outbox(source, relay, reservations, name="reservations", domain="inventory")
