"""What applies each event once: delivery queue, dead letters, projection table, consumer function."""

from typing import NotRequired, TypedDict

import pulumi
from pulumi_aws import lambda_

from . import limits
from .arguments import require_arguments
from .lambda_function import FunctionSettings, LambdaFunction
from .lifetimes import require_marker_lifetime
from .package import type_token
from .queues import standard_queue
from .relations import (
    require_batch_window,
    require_dead_letter_retention,
    require_reserved_for_mapping,
    require_visibility,
)
from .statements import CONSUME_DELIVERY_QUEUE, WRITE_INBOX_AND_AGGREGATE
from .tables import keyed_table
from .validation import flag, require_name


class IdempotentConsumerArgs(TypedDict):
    """Settings of an idempotent consumer; all are optional."""

    protect_tables: NotRequired[bool]
    """Keep the table: a destroy, by Pulumi or by hand, is refused until this is off and deployed."""
    queue_retention_seconds: NotRequired[int]
    """How long an undelivered message is kept, 60 to 1209600."""
    dead_letter_retention_seconds: NotRequired[int]
    """How long a dead letter is kept, counted from its first sending; more than the queue's retention."""
    visibility_timeout_seconds: NotRequired[int]
    """How long a delivered message is hidden; 6 function timeouts and the batch window, or more."""
    maximum_receives: NotRequired[int]
    """Deliveries after which a message becomes a dead letter, 5 to 1000."""
    queue_batch_size: NotRequired[int]
    """Most messages handed to one invocation, 1 to 10000; above 10 with a batch window."""
    queue_batch_window_seconds: NotRequired[int]
    """Longest wait for a batch to fill, 0 to 300."""
    queue_maximum_concurrency: NotRequired[int]
    """Most invocations at a time, 2 to 1000, and no more than the reserved concurrency."""
    aggregate_shards: NotRequired[int]
    """Items that a total is spread over, 1 to 1000, so that invocations rarely meet on one; readers add them up.
    Your own code chooses its item with `outbox.settings.aggregate_shard`."""
    inbox_marker_lifetime_seconds: NotRequired[int]
    """Let markers expire so long after they are stored: 0 for never. They must outlast the rows of every source,
    both queues' retention and a day; a replay after its marker is gone counts again."""
    outbox_row_lifetime_seconds: NotRequired[int]
    """The longest row lifetime of the sources whose events come here, 0 for never; wanted with a marker lifetime."""
    fault_after_commit: NotRequired[str]
    """For trials: the order whose messages fail after their effect is stored."""
    code: NotRequired[str]
    """Folder with your own handlers, relative to the working directory; its `*.py` files are zipped with the
    package `outbox`. Without it, order events are added to the sales total."""
    handler: NotRequired[str]
    """Entry point `module.function` in the code."""
    dependencies: NotRequired[str]
    """`runtime`: the boto3 that Lambda brings. `bundled`: the one that `handlers/requirements.txt` pins, in the
    archive; it knows DynamoDB and SQS alone."""
    architecture: NotRequired[str]
    """`x86_64` or `arm64`."""
    function_timeout_seconds: NotRequired[int]
    """Longest run of one invocation, 10 to 900."""
    function_memory_megabytes: NotRequired[int]
    """Memory, and with it the share of a processor, 128 to 10240."""
    log_retention_days: NotRequired[int]
    """How long CloudWatch keeps the function's logs; one of CloudWatch's own steps."""
    log_format: NotRequired[str]
    """`Text`: the words alone. `JSON`: objects, with the same words as `message`."""
    reserved_concurrency: NotRequired[int]
    """Concurrency kept for this function alone, 1 or more; -1 shares the account's, as without it."""


class IdempotentConsumer(pulumi.ComponentResource):
    """A queue whose messages change a projection table once, however often they are delivered.

    Inbox markers expire only on request: once a marker is gone, a replay of its event would count again.
    """

    queue_url: pulumi.Output[str]
    """URL of the delivery queue; give it to a Relay."""
    queue_arn: pulumi.Output[str]
    """ARN of the delivery queue; give it to a Relay."""
    queue_name: pulumi.Output[str]
    """Name of the delivery queue."""
    dead_letter_queue_url: pulumi.Output[str]
    """URL of the dead-letter queue."""
    dead_letter_queue_arn: pulumi.Output[str]
    """ARN of the dead-letter queue."""
    dead_letter_queue_name: pulumi.Output[str]
    """Name of the dead-letter queue."""
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
        require_arguments(args, IdempotentConsumerArgs)
        settings = FunctionSettings.read(args, module="consumer", needs=["orders"])
        protect = flag(args, "protect_tables")
        queue_seconds = limits.QUEUE_RETENTION_SECONDS.read(args)
        dead_letter_seconds = limits.DEAD_LETTER_RETENTION_SECONDS.read(args)
        visibility_seconds = limits.VISIBILITY_TIMEOUT_SECONDS.read(args)
        maximum_receives = limits.MAXIMUM_RECEIVES.read(args)
        batch_size = limits.QUEUE_BATCH_SIZE.read(args)
        batch_window_seconds = limits.QUEUE_BATCH_WINDOW_SECONDS.read(args)
        maximum_concurrency = limits.QUEUE_MAXIMUM_CONCURRENCY.read(args)
        aggregate_shards = limits.AGGREGATE_SHARDS.read(args)
        marker_lifetime_seconds = limits.INBOX_MARKER_LIFETIME_SECONDS.read(args)
        require_marker_lifetime(
            marker_lifetime_seconds,
            row_lifetime_seconds=limits.OUTBOX_ROW_LIFETIME_SECONDS.read(args),
            queue_seconds=queue_seconds,
            dead_letter_seconds=dead_letter_seconds,
        )
        require_dead_letter_retention(dead_letter_seconds, queue_seconds)
        require_visibility(visibility_seconds, settings.timeout_seconds, batch_window_seconds)
        require_batch_window(batch_size, batch_window_seconds)
        require_reserved_for_mapping(maximum_concurrency, settings.reserved_concurrency)
        super().__init__(type_token("IdempotentConsumer"), name, {}, opts)

        dead_letters = standard_queue(
            f"{name}-dead-letter-queue", retention_seconds=dead_letter_seconds, parent=self
        )
        queue = standard_queue(
            f"{name}-queue",
            retention_seconds=queue_seconds,
            visibility_timeout_seconds=visibility_seconds,
            redrive_policy=pulumi.Output.json_dumps(
                {"deadLetterTargetArn": dead_letters.arn, "maxReceiveCount": maximum_receives}
            ),
            parent=self,
        )
        table = keyed_table(
            f"{name}-projection", protect=protect, parent=self, expires=marker_lifetime_seconds > 0
        )
        environment: dict[str, pulumi.Input[str]] = {"PROJECTION_TABLE": table.name}
        if aggregate_shards > 1:
            environment["AGGREGATE_SHARDS"] = str(aggregate_shards)
        if marker_lifetime_seconds:
            environment["INBOX_MARKER_LIFETIME_SECONDS"] = str(marker_lifetime_seconds)
        if fault := args.get("fault_after_commit"):
            environment["FAULT_AFTER_COMMIT"] = fault
        consumer = LambdaFunction(
            f"{name}-consumer",
            {
                "purpose": "consumer",
                "settings": settings,
                "environment": environment,
                "statements": [
                    WRITE_INBOX_AND_AGGREGATE.on(table.arn),
                    CONSUME_DELIVERY_QUEUE.on(queue.arn),
                ],
            },
            pulumi.ResourceOptions(parent=self),
        )
        mapping = lambda_.EventSourceMapping(
            f"{name}-consumer-mapping",
            event_source_arn=queue.arn,
            function_name=consumer.function_arn,
            enabled=True,
            batch_size=batch_size,
            maximum_batching_window_in_seconds=batch_window_seconds,
            scaling_config={"maximum_concurrency": maximum_concurrency},
            # Without it Lambda ignores the failures that the handler reports, and deletes their messages.
            function_response_types=["ReportBatchItemFailures"],
            # At creation Lambda checks that the role may read the queue, and refuses a second mapping.
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[consumer.policy], delete_before_replace=True
            ),
        )

        self.queue_url = queue.url
        self.queue_arn = queue.arn
        self.queue_name = queue.name
        self.dead_letter_queue_url = dead_letters.url
        self.dead_letter_queue_arn = dead_letters.arn
        self.dead_letter_queue_name = dead_letters.name
        self.projection_table_name = table.name
        self.projection_table_arn = table.arn
        self.function_name = consumer.function_name
        self.function_arn = consumer.function_arn
        self.role_arn = consumer.role_arn
        self.mapping_uuid = mapping.uuid
        self.log_group_name = consumer.log_group_name
        self.register_outputs(
            {
                "queue_url": self.queue_url,
                "queue_arn": self.queue_arn,
                "queue_name": self.queue_name,
                "dead_letter_queue_url": self.dead_letter_queue_url,
                "dead_letter_queue_arn": self.dead_letter_queue_arn,
                "dead_letter_queue_name": self.dead_letter_queue_name,
                "projection_table_name": self.projection_table_name,
                "projection_table_arn": self.projection_table_arn,
                "function_name": self.function_name,
                "function_arn": self.function_arn,
                "role_arn": self.role_arn,
                "mapping_uuid": self.mapping_uuid,
                "log_group_name": self.log_group_name,
            }
        )
