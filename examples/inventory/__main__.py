"""Stock is reserved and shipped: one source, one relay, and two consumers that each know every event."""

from pathlib import Path

import pulumi
from transactional_outbox import IdempotentConsumer, OutboxSource, Relay

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
        "queue_urls": [levels.queue_url, reservations.queue_url],
        "queue_arns": [levels.queue_arn, reservations.queue_arn],
        "stream_batch_size": 10,
    },
)

pulumi.export("source_table_name", source.table_name)
pulumi.export("command_function_name", source.function_name)
pulumi.export("levels_table_name", levels.projection_table_name)
pulumi.export("levels_queue_url", levels.queue_url)
pulumi.export("levels_dead_letter_queue_url", levels.dead_letter_queue_url)
pulumi.export("levels_log_group_name", levels.log_group_name)
pulumi.export("reservations_table_name", reservations.projection_table_name)
pulumi.export("reservations_queue_url", reservations.queue_url)
pulumi.export("reservations_log_group_name", reservations.log_group_name)
