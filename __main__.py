"""The stack: orders stored with their events, relayed to a queue, added to the sales total once."""

import pulumi

from components.idempotent_consumer import IdempotentConsumer
from components.monitoring import Monitoring
from components.outbox_source import OutboxSource
from components.reconciler import Reconciler
from components.relay import Relay
from components.settings import read_settings

settings = read_settings()

source = OutboxSource(
    "orders",
    {
        "dependencies": settings.dependencies,
        "architecture": settings.architecture,
        "function_timeout_seconds": settings.function_timeout_seconds,
        "function_memory_megabytes": settings.function_memory_megabytes,
        "log_retention_days": settings.log_retention_days,
        "log_format": settings.log_format,
        "reserved_concurrency": settings.command_reserved_concurrency,
        "protect_tables": settings.protect_tables,
        "reconcile_index": settings.reconcile_index,
        "outbox_row_lifetime_seconds": settings.outbox_row_lifetime_seconds,
    },
)
consumer = IdempotentConsumer(
    "sales",
    {
        "dependencies": settings.dependencies,
        "architecture": settings.architecture,
        "function_timeout_seconds": settings.function_timeout_seconds,
        "function_memory_megabytes": settings.function_memory_megabytes,
        "log_retention_days": settings.log_retention_days,
        "log_format": settings.log_format,
        "reserved_concurrency": settings.consumer_reserved_concurrency,
        "protect_tables": settings.protect_tables,
        "queue_retention_seconds": settings.queue_retention_seconds,
        "dead_letter_retention_seconds": settings.dead_letter_retention_seconds,
        "visibility_timeout_seconds": settings.visibility_timeout_seconds,
        "maximum_receives": settings.maximum_receives,
        "queue_batch_size": settings.queue_batch_size,
        "queue_batch_window_seconds": settings.queue_batch_window_seconds,
        "queue_maximum_concurrency": settings.queue_maximum_concurrency,
        "aggregate_shards": settings.aggregate_shards,
        "inbox_marker_lifetime_seconds": settings.inbox_marker_lifetime_seconds,
        "outbox_row_lifetime_seconds": settings.outbox_row_lifetime_seconds,
        "fault_after_commit": settings.fault_after_commit,
    },
)
relay = Relay(
    "orders",
    {
        "dependencies": settings.dependencies,
        "architecture": settings.architecture,
        "function_timeout_seconds": settings.function_timeout_seconds,
        "function_memory_megabytes": settings.function_memory_megabytes,
        "log_retention_days": settings.log_retention_days,
        "log_format": settings.log_format,
        "reserved_concurrency": settings.relay_reserved_concurrency,
        "stream_arn": source.stream_arn,
        "stream_view_type": source.stream_view_type,
        "queue_urls": [consumer.queue_url],
        "queue_arns": [consumer.queue_arn],
        "failure_queue": settings.failure_queue,
        "stream_batch_size": settings.stream_batch_size,
        "stream_batch_window_seconds": settings.stream_batch_window_seconds,
        "stream_parallelization": settings.stream_parallelization,
        "stream_maximum_retries": settings.stream_maximum_retries,
        "stream_maximum_record_age_seconds": settings.stream_maximum_record_age_seconds,
        "allow_unlimited_retries": settings.allow_unlimited_retries,
    },
)
reconciler = (
    Reconciler(
        "sales",
        {
            "dependencies": settings.dependencies,
            "architecture": settings.architecture,
            "function_timeout_seconds": settings.reconciler_timeout_seconds,
            "function_memory_megabytes": settings.reconciler_memory_megabytes,
            "log_retention_days": settings.log_retention_days,
            "log_format": settings.log_format,
            "source_table_name": source.table_name,
            "index_name": source.index_name,
            "index_arn": source.index_arn,
            "projection_table_name": consumer.projection_table_name,
            "projection_table_arn": consumer.projection_table_arn,
            "queue_url": consumer.queue_url,
            "queue_arn": consumer.queue_arn,
            "reconciler_interval_minutes": settings.reconciler_interval_minutes,
            "reconciler_margin_seconds": settings.reconciler_margin_seconds,
            "reconciler_horizon_seconds": settings.reconciler_horizon_seconds,
            "reconciler_start": settings.reconciler_start,
        },
    )
    if settings.reconciler
    else None
)
monitoring = (
    Monitoring(
        "outbox",
        {
            "command_function_name": source.function_name,
            "relay_function_name": relay.function_name,
            "consumer_function_name": consumer.function_name,
            "reconciler_function_name": reconciler.function_name if reconciler else None,
            "queue_name": consumer.queue_name,
            "dead_letter_queue_name": consumer.dead_letter_queue_name,
            "relay_failure_queue_name": relay.failure_queue_name,
            "alarm_topic_arns": [*settings.topic_arns],
            "runbook_url": settings.runbook_url,
            "alarm_dead_letters": settings.alarm_dead_letters,
            "alarm_message_age_seconds": settings.alarm_message_age_seconds,
            "alarm_stream_age_seconds": settings.alarm_stream_age_seconds,
            "alarm_command_errors": settings.alarm_command_errors,
            "alarm_function_errors": settings.alarm_function_errors,
            "alarm_throttles": settings.alarm_throttles,
        },
    )
    if settings.monitoring
    else None
)

pulumi.export("domain", "orders")
pulumi.export("source_table_name", source.table_name)
pulumi.export("projection_table_name", consumer.projection_table_name)
pulumi.export("stream_arn", source.stream_arn)
pulumi.export("queue_url", consumer.queue_url)
pulumi.export("queue_arn", consumer.queue_arn)
pulumi.export("dead_letter_queue_url", consumer.dead_letter_queue_url)
pulumi.export("dead_letter_queue_arn", consumer.dead_letter_queue_arn)
pulumi.export("command_function_name", source.function_name)
pulumi.export("relay_function_name", relay.function_name)
pulumi.export("consumer_function_name", consumer.function_name)
pulumi.export("command_log_group_name", source.log_group_name)
pulumi.export("relay_log_group_name", relay.log_group_name)
pulumi.export("consumer_log_group_name", consumer.log_group_name)
pulumi.export("relay_mapping_uuid", relay.mapping_uuid)
pulumi.export("consumer_mapping_uuid", consumer.mapping_uuid)
pulumi.export("relay_failure_queue_url", relay.failure_queue_url)
pulumi.export("reconcile_index_name", source.index_name)
pulumi.export("reconciler_function_name", reconciler and reconciler.function_name)
pulumi.export("reconciler_log_group_name", reconciler and reconciler.log_group_name)
pulumi.export("reconciler_start", (reconciler and settings.reconciler_start) or None)
pulumi.export("dashboard_name", monitoring and monitoring.dashboard_name)
pulumi.export("alarm_arns", monitoring and monitoring.alarm_arns)
