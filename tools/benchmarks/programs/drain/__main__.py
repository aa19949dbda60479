"""A consumer stack for each case of the benchmark: the same queue, table and mapping, other code."""

import json

import pulumi

from components.idempotent_consumer import IdempotentConsumer

# Each case: its name, the folder of its code ("" for ours), its batch size.
for name, folder, batch_size in json.loads(pulumi.Config().require("cases")):
    consumer = IdempotentConsumer(
        name,
        {
            "queue_batch_size": batch_size,
            # Lambda wants a window for batches above ten; it stays open only while a batch is not full.
            "queue_batch_window_seconds": 0 if batch_size == 1 else 1,
            "visibility_timeout_seconds": 61,
            **({"code": folder, "handler": "consumer.lambda_handler"} if folder else {}),
        },
    )
    pulumi.export(f"{name}:queue_url", consumer.queue_url)
    pulumi.export(f"{name}:mapping_uuid", consumer.mapping_uuid)
    pulumi.export(f"{name}:table", consumer.projection_table_name)
