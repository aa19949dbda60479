"""The outputs that operators need of an outbox, exported by one call under stable names."""

from typing import Any

import pulumi

from .idempotent_consumer import IdempotentConsumer
from .monitoring import Monitoring
from .outbox_source import OutboxSource
from .reconciler import Reconciler
from .relay import Relay


def export_outbox(
    source: OutboxSource | IdempotentConsumer,
    relay: Relay,
    consumer: IdempotentConsumer,
    *,
    reconciler: Reconciler | None = None,
    monitoring: Monitoring | None = None,
    domain: str | None = None,
    name: str | None = None,
) -> None:
    """Export what the `outbox` command reads of a stack.

    Args:
        source: where events are stored; a consumer that publishes is one.
        relay: what sends them.
        consumer: what applies them; export each further consumer of the same source under a name of its own.
        reconciler: what resends them, if there is one.
        monitoring: what watches them, if anything does.
        domain: name of the domain object that the verbs use; `orders` where the functions are the walkthrough's.
        name: of one outbox among several of a program: all becomes one output of this name, and `--outbox NAME`
            chooses it. Without it each value is an output of its own.
    """
    values = outputs_for_operators(
        source, relay, consumer, reconciler=reconciler, monitoring=monitoring, domain=domain
    )
    if name is not None:
        pulumi.export(name, values)
        return
    for each, value in values.items():
        pulumi.export(each, value)


def outputs_for_operators(
    source: OutboxSource | IdempotentConsumer,
    relay: Relay,
    consumer: IdempotentConsumer,
    *,
    reconciler: Reconciler | None = None,
    monitoring: Monitoring | None = None,
    domain: str | None = None,
) -> dict[str, Any]:
    """The same as values by name; `None` for what there is not."""
    return {
        "domain": domain,
        "source_table_name": source.table_name
        if isinstance(source, OutboxSource)
        else source.projection_table_name,
        "projection_table_name": consumer.projection_table_name,
        "stream_arn": source.stream_arn,
        "queue_url": consumer.queue_url,
        "queue_arn": consumer.queue_arn,
        "event_types": consumer.event_types,
        "dead_letter_queue_url": consumer.dead_letter_queue_url,
        "dead_letter_queue_arn": consumer.dead_letter_queue_arn,
        "command_function_name": source.function_name,
        "relay_function_name": relay.function_name,
        "consumer_function_name": consumer.function_name,
        "command_log_group_name": source.log_group_name,
        "relay_log_group_name": relay.log_group_name,
        "consumer_log_group_name": consumer.log_group_name,
        "relay_mapping_uuid": relay.mapping_uuid,
        "consumer_mapping_uuid": consumer.mapping_uuid,
        "relay_failure_queue_url": relay.failure_queue_url,
        "reconcile_index_name": source.index_name,
        "reconciler_function_name": reconciler and reconciler.function_name,
        "reconciler_log_group_name": reconciler and reconciler.log_group_name,
        "reconciler_start": reconciler and reconciler.start,
        "dashboard_name": monitoring and monitoring.dashboard_name,
        "alarm_arns": monitoring and monitoring.alarm_arns,
    }
