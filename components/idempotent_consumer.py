"""The consumer: delivery queue, dead-letter queue, projection table, and the function that applies each event once."""

from collections.abc import Mapping
from typing import NotRequired

import pulumi
from pulumi_aws import lambda_

from . import limits
from .arguments import outputs_of, require_settings
from .lambda_function import FunctionArgs, LambdaFunction, function_code
from .lifetimes import require_marker_lifetime, require_row_lifetime
from .package import type_token
from .queues import RelayQueue, standard_queue
from .relations import (
    require_batch_window,
    require_dead_letter_retention,
    require_event_types,
    require_reserved_for_mapping,
    visibility_timeout_seconds,
)
from .statements import CONSUME_DELIVERY_QUEUE, WRITE_INBOX_AND_AGGREGATE
from .tables import MINUTE_INDEX, index_arn, keyed_table, row_environment
from .validation import require_name


class IdempotentConsumerArgs(FunctionArgs):
    """Settings of an idempotent consumer; all are optional."""

    protect_tables: NotRequired[bool]
    """Keep the table: a destroy, by Pulumi or by hand, is refused until this is off and deployed."""
    point_in_time_recovery: NotRequired[bool]
    """Keep continuous backups of the table, from which it can be restored to any second of the last 35 days."""
    queue_retention_seconds: NotRequired[int]
    """How long an undelivered message is kept."""
    dead_letter_retention_seconds: NotRequired[int]
    """How long a dead-letter message is kept, counted from its first sending; more than the queue's retention."""
    visibility_timeout_seconds: NotRequired[int]
    """How long a delivered message is invisible: 6 function timeouts and the batch window, or more. 0 is that sum."""
    maximum_receives: NotRequired[int]
    """Deliveries after which a message goes to the dead-letter queue."""
    queue_batch_size: NotRequired[int]
    """Most messages handed to one invocation; above 10 with a batch window."""
    queue_batch_window_seconds: NotRequired[int]
    """Longest wait for a batch of messages to fill."""
    queue_maximum_concurrency: NotRequired[int]
    """Most invocations at a time; no more than the reserved concurrency."""
    aggregate_shards: NotRequired[int]
    """Items that a total is spread over, so that invocations rarely meet on one; readers add them up.
    Your own code chooses its item with `outbox.settings.aggregate_shard`."""
    inbox_marker_lifetime_seconds: NotRequired[int]
    """Let markers expire so long after the end of their event's row: 0 for never. It must be longer than both queues'
    retention and a day. The marker of an event whose row never ends stays for ever."""
    publishes: NotRequired[bool]
    """Give the projection table a stream, so that a Relay sends the events that your code publishes."""
    reconcile_index: NotRequired[bool]
    """Of a consumer that publishes: add an index by which its rows of some minutes are found, for a Reconciler."""
    outbox_row_lifetime_seconds: NotRequired[int]
    """Of a consumer that publishes: let rows expire so long after they are stored, 0 for never, or 16 days and more."""
    event_types: NotRequired[list[str]]
    """Types of the events that this consumer gets, by the `type` of their bodies; all, if none are named. The relay,
    the reconciler and `outbox reconcile` leave others out."""
    fault_after_commit: NotRequired[str]
    """For trials: the order whose messages fail after their effect is stored."""


def require_consumer_settings(args: Mapping[str, object]) -> None:
    """Every setting is in its range, and they fit together.

    Raises:
        InvalidSettingError: one is not, two do not, or there is no such argument.
    """
    require_settings(args, IdempotentConsumerArgs)
    queue_seconds = limits.QUEUE_RETENTION_SECONDS.read(args)
    dead_letter_seconds = limits.DEAD_LETTER_RETENTION_SECONDS.read(args)
    require_row_lifetime(limits.OUTBOX_ROW_LIFETIME_SECONDS.read(args))
    require_marker_lifetime(
        limits.INBOX_MARKER_LIFETIME_SECONDS.read(args),
        queue_seconds=queue_seconds,
        dead_letter_seconds=dead_letter_seconds,
    )
    require_dead_letter_retention(dead_letter_seconds, queue_seconds)
    require_batch_window(limits.QUEUE_BATCH_SIZE.read(args), limits.QUEUE_BATCH_WINDOW_SECONDS.read(args))
    require_reserved_for_mapping(
        limits.QUEUE_MAXIMUM_CONCURRENCY.read(args), limits.RESERVED_CONCURRENCY.read(args)
    )
    _visibility_seconds(args)
    require_event_types(args.get("event_types"))


class IdempotentConsumer(pulumi.ComponentResource):
    """A queue whose messages change a projection table once, however often they are delivered.

    Inbox markers expire only on request, and only after the outbox row of their event.
    """

    queue_url: pulumi.Output[str]
    """URL of the delivery queue; give it to a Relay."""
    queue_arn: pulumi.Output[str]
    """ARN of the delivery queue; give it to a Relay."""
    queue_name: pulumi.Output[str]
    """Name of the delivery queue."""
    event_types: pulumi.Output[list[str]] | None
    """Types of the events that it gets, if it does not get all."""
    dead_letter_queue_url: pulumi.Output[str]
    """URL of the dead-letter queue."""
    dead_letter_queue_arn: pulumi.Output[str]
    """ARN of the dead-letter queue."""
    dead_letter_queue_name: pulumi.Output[str]
    """Name of the dead-letter queue."""
    stream_arn: pulumi.Output[str] | None
    """ARN of the projection table's stream, if the consumer publishes; give it to a Relay."""
    stream_view_type: pulumi.Output[str] | None
    """View type of that stream."""
    index_name: pulumi.Output[str] | None
    """Name of the index by the minute, if there is one; give it to a Reconciler."""
    index_arn: pulumi.Output[str] | None
    """ARN of the index by the minute, if there is one; give it to a Reconciler."""
    projection_table_name: pulumi.Output[str]
    """Name of the table with inbox markers and effects."""
    projection_table_arn: pulumi.Output[str]
    """ARN of the table with inbox markers and effects."""
    function_name: pulumi.Output[str]
    """Name of the consumer function."""
    function_arn: pulumi.Output[str]
    """ARN of the consumer function."""
    role_arn: pulumi.Output[str]
    """ARN of the consumer function's role."""
    mapping_uuid: pulumi.Output[str]
    """Identifier of the queue mapping."""
    log_group_name: pulumi.Output[str]
    """Name of the consumer function's log group."""

    def __init__(
        self, name: str, args: IdempotentConsumerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        require_name(name)
        require_consumer_settings(args)
        code = function_code(args, module="consumer", needs=["orders"])
        aggregate_shards = limits.AGGREGATE_SHARDS.read(args)
        marker_lifetime_seconds = limits.INBOX_MARKER_LIFETIME_SECONDS.read(args)
        publishes = limits.PUBLISHES.read(args)
        indexed = publishes and limits.RECONCILE_INDEX.read(args)
        row_lifetime_seconds = limits.OUTBOX_ROW_LIFETIME_SECONDS.read(args) if publishes else 0
        super().__init__(type_token("IdempotentConsumer"), name, {}, opts)

        dead_letters = standard_queue(
            f"{name}-dead-letter-queue",
            retention_seconds=limits.DEAD_LETTER_RETENTION_SECONDS.read(args),
            parent=self,
        )
        queue = standard_queue(
            f"{name}-queue",
            retention_seconds=limits.QUEUE_RETENTION_SECONDS.read(args),
            visibility_timeout_seconds=_visibility_seconds(args),
            redrive_policy=pulumi.Output.json_dumps(
                {
                    "deadLetterTargetArn": dead_letters.arn,
                    "maxReceiveCount": limits.MAXIMUM_RECEIVES.read(args),
                }
            ),
            parent=self,
        )
        table = keyed_table(
            f"{name}-projection",
            protect=limits.PROTECT_TABLES.read(args),
            has_recovery=limits.POINT_IN_TIME_RECOVERY.read(args),
            parent=self,
            stream_view_type="NEW_IMAGE" if publishes else None,
            expires=marker_lifetime_seconds > 0 or row_lifetime_seconds > 0,
            has_minute_index=indexed,
        )
        environment: dict[str, pulumi.Input[str]] = {
            "PROJECTION_TABLE": table.name,
            **row_environment(is_indexed=indexed, lifetime_seconds=row_lifetime_seconds),
        }
        if aggregate_shards > 1:
            environment["AGGREGATE_SHARDS"] = str(aggregate_shards)
        if marker_lifetime_seconds:
            environment["INBOX_MARKER_LIFETIME_SECONDS"] = str(marker_lifetime_seconds)
        if fault := limits.FAULT_AFTER_COMMIT.read(args):
            environment["FAULT_AFTER_COMMIT"] = fault
        consumer = LambdaFunction(
            f"{name}-consumer",
            args,
            code=code,
            purpose="consumer",
            environment=environment,
            statements=[
                WRITE_INBOX_AND_AGGREGATE.on(table.arn),
                CONSUME_DELIVERY_QUEUE.on(queue.arn),
            ],
            parent=self,
        )
        mapping = lambda_.EventSourceMapping(
            f"{name}-consumer-mapping",
            event_source_arn=queue.arn,
            function_name=consumer.function_arn,
            enabled=True,
            batch_size=limits.QUEUE_BATCH_SIZE.read(args),
            maximum_batching_window_in_seconds=limits.QUEUE_BATCH_WINDOW_SECONDS.read(args),
            scaling_config={"maximum_concurrency": limits.QUEUE_MAXIMUM_CONCURRENCY.read(args)},
            # Without it Lambda ignores the failures that the handler reports, and deletes their messages.
            function_response_types=["ReportBatchItemFailures"],
            # At creation Lambda checks that the role may read the queue, and refuses a second mapping.
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[consumer.policy], delete_before_replace=True
            ),
        )

        types = list(require_event_types(args.get("event_types")))
        self.event_types = pulumi.Output.from_input(types) if types else None
        # Not annotated: an output that is an object keeps no field known at a first preview.
        self.queue: RelayQueue = {"url": queue.url, "arn": queue.arn, "event_types": types}
        self.queue_url = queue.url
        self.queue_arn = queue.arn
        self.queue_name = queue.name
        self.dead_letter_queue_url = dead_letters.url
        self.dead_letter_queue_arn = dead_letters.arn
        self.dead_letter_queue_name = dead_letters.name
        self.stream_arn = table.stream_arn if publishes else None
        self.stream_view_type = table.stream_view_type if publishes else None
        self.index_name = pulumi.Output.from_input(MINUTE_INDEX) if indexed else None
        self.index_arn = index_arn(table) if indexed else None
        self.projection_table_name = table.name
        self.projection_table_arn = table.arn
        self.function_name = consumer.function_name
        self.function_arn = consumer.function_arn
        self.role_arn = consumer.role_arn
        self.mapping_uuid = mapping.uuid
        self.log_group_name = consumer.log_group_name
        self.register_outputs(outputs_of(self))


def _visibility_seconds(args: Mapping[str, object]) -> int:
    return visibility_timeout_seconds(
        limits.VISIBILITY_TIMEOUT_SECONDS.read(args),
        timeout_seconds=limits.FUNCTION_TIMEOUT_SECONDS.read(args),
        window_seconds=limits.QUEUE_BATCH_WINDOW_SECONDS.read(args),
    )
