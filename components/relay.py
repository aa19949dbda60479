"""What carries stored events from a table's stream to queues."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, NotRequired, TypedDict

import pulumi
from pulumi_aws import lambda_, sqs

from . import limits
from .addresses import require_different, require_one_region, require_same_queue
from .arguments import checked, require_arguments
from .lambda_function import FunctionSettings, LambdaFunction
from .package import type_token
from .queues import standard_queue
from .relations import require_new_image, require_queues, require_stream_arn
from .statements import (
    FORWARD_OUTBOX,
    READ_SOURCE_STREAM,
    REPORT_FAILED_RECORDS,
    Statement,
    discover_streams,
    region_of,
)
from .validation import flag, require_name

# A record that the filter leaves out is gone for this mapping and costs no invocation.
# https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
OUTBOX_INSERTS = json.dumps(
    {"eventName": ["INSERT"], "dynamodb": {"NewImage": {"kind": {"S": ["OUTBOX"]}}}}, separators=(",", ":")
)
FAILURE_RETENTION_SECONDS = 14 * limits.DAY_SECONDS


class RelayArgs(TypedDict):
    """What a relay reads and where it sends; the settings are optional."""

    stream_arn: pulumi.Input[str]
    """ARN of the table's stream, as the table's own output: grant and mapping then follow a new stream."""
    queue_urls: list[pulumi.Input[str]]
    """Queues that every event is sent to."""
    queue_arns: list[pulumi.Input[str]]
    """ARNs of the same queues, in the same order."""
    stream_view_type: NotRequired[pulumi.Input[str]]
    """The table's stream view type; given, a view without the new image is refused."""
    failure_queue: NotRequired[bool]
    """Add a queue for batches that Lambda gives up. It receives positions in the stream, not events: recover
    those from the stored outbox rows."""
    stream_batch_size: NotRequired[int]
    """Most records handed to one invocation, 1 to 10000."""
    stream_batch_window_seconds: NotRequired[int]
    """Longest wait for a batch to fill, 0 to 300."""
    stream_parallelization: NotRequired[int]
    """Batches of one shard handled at a time, 1 to 10; each item's order is kept."""
    stream_maximum_retries: NotRequired[int]
    """Attempts after the first before a batch is given up, 0 to 10000."""
    stream_maximum_record_age_seconds: NotRequired[int]
    """Age at which a record is given up, 60 to 604800."""
    allow_unlimited_retries: NotRequired[bool]
    """Accept -1 (no limit) for retries and record age."""
    code: NotRequired[str]
    """Folder with your own handlers, relative to the working directory; its `*.py` files are zipped with the
    package `outbox`. Without it, stored events are forwarded unchanged."""
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


class Relay(pulumi.ComponentResource):
    """A function that sends every newly stored event, at least once and in the order of its item.

    Replacing the stream mapping starts it from the oldest record: up to a day of events is sent again, which
    idempotent consumers ignore. When you rename a relay, alias it and nothing is replaced.
    """

    function_name: pulumi.Output[str]
    """Name of the relay function."""
    function_arn: pulumi.Output[str]
    """ARN of the relay function."""
    role_arn: pulumi.Output[str]
    """ARN of the relay function's role."""
    mapping_uuid: pulumi.Output[str]
    """Identifier of the stream mapping."""
    log_group_name: pulumi.Output[str]
    """Name of the relay function's log group."""
    failure_queue_url: pulumi.Output[str] | None
    """URL of the failure queue, if there is one."""
    failure_queue_name: pulumi.Output[str] | None
    """Name of the failure queue, if there is one."""

    def __init__(self, name: str, args: RelayArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        require_name(name)
        require_arguments(args, RelayArgs)
        require_queues(args["queue_urls"], args["queue_arns"])
        require_different("queue_urls", args["queue_urls"])
        require_different("queue_arns", args["queue_arns"])
        queues: list[Any] = [
            checked(list(queue), partial(require_same_queue, "queue_urls", "queue_arns"))
            for queue in zip(args["queue_urls"], args["queue_arns"], strict=True)
        ]
        queue_urls, queue_arns = [each[0] for each in queues], [each[1] for each in queues]
        require_one_region({"stream_arn": [args["stream_arn"]], "queue_arns": queue_arns})
        settings = FunctionSettings.read(args, module="relay")
        unlimited = flag(args, "allow_unlimited_retries")
        batch_size = limits.STREAM_BATCH_SIZE.read(args)
        batch_window_seconds = limits.STREAM_BATCH_WINDOW_SECONDS.read(args)
        parallelization = limits.STREAM_PARALLELIZATION.read(args)
        maximum_retries = limits.STREAM_MAXIMUM_RETRIES.read(args, allow_unlimited=unlimited)
        maximum_age_seconds = limits.STREAM_MAXIMUM_RECORD_AGE_SECONDS.read(args, allow_unlimited=unlimited)
        with_failure_queue = flag(args, "failure_queue")
        stream_arn = _checked_stream(args)
        super().__init__(type_token("Relay"), name, {}, opts)

        statements: list[Statement] = [
            FORWARD_OUTBOX.on(queue_arns),
            READ_SOURCE_STREAM.on(stream_arn),
            discover_streams(stream_arn.apply(region_of)),
        ]
        failures: sqs.Queue | None = None
        if with_failure_queue:
            failures = standard_queue(
                f"{name}-relay-failures", retention_seconds=FAILURE_RETENTION_SECONDS, parent=self
            )
            statements.append(REPORT_FAILED_RECORDS.on(failures.arn))
        relay = LambdaFunction(
            f"{name}-relay",
            {
                "purpose": "relay",
                "settings": settings,
                "environment": _queue_environment(queue_urls),
                "statements": statements,
            },
            pulumi.ResourceOptions(parent=self),
        )
        mapping = lambda_.EventSourceMapping(
            f"{name}-relay-mapping",
            event_source_arn=stream_arn,
            function_name=relay.function_arn,
            enabled=True,
            batch_size=batch_size,
            maximum_batching_window_in_seconds=batch_window_seconds,
            parallelization_factor=parallelization,
            starting_position="TRIM_HORIZON",
            maximum_retry_attempts=maximum_retries,
            maximum_record_age_in_seconds=maximum_age_seconds,
            # Without it Lambda ignores the failures that the handler reports.
            function_response_types=["ReportBatchItemFailures"],
            filter_criteria={"filters": [{"pattern": OUTBOX_INSERTS}]},
            destination_config=None
            if failures is None
            else {"on_failure": {"destination_arn": failures.arn}},
            # At creation Lambda checks that the role may read the stream, and refuses a second mapping.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[relay.policy], delete_before_replace=True),
        )

        self.function_name = relay.function_name
        self.function_arn = relay.function_arn
        self.role_arn = relay.role_arn
        self.mapping_uuid = mapping.uuid
        self.log_group_name = relay.log_group_name
        self.failure_queue_url = None if failures is None else failures.url
        self.failure_queue_name = None if failures is None else failures.name
        self.register_outputs(
            {
                "function_name": self.function_name,
                "function_arn": self.function_arn,
                "role_arn": self.role_arn,
                "mapping_uuid": self.mapping_uuid,
                "log_group_name": self.log_group_name,
                "failure_queue_url": self.failure_queue_url,
                "failure_queue_name": self.failure_queue_name,
            }
        )


def _checked_stream(args: RelayArgs) -> pulumi.Output[str]:
    """The stream's ARN; what is already known to be no stream with new images is refused at once."""
    given = [args["stream_arn"], args.get("stream_view_type")]
    return pulumi.Output.from_input(checked(given, _require_readable))


def _require_readable(stream: Sequence[object]) -> str:
    stream_arn, view_type = stream
    if view_type is not None:
        require_new_image(view_type)
    return require_stream_arn(stream_arn)


def _queue_environment(queue_urls: list[pulumi.Input[str]]) -> dict[str, pulumi.Input[str]]:
    if len(queue_urls) == 1:
        return {"QUEUE_URL": queue_urls[0]}
    different = partial(require_different, "queue_urls")
    return {"QUEUE_URLS": pulumi.Output.all(*queue_urls).apply(lambda urls: " ".join(different(urls)))}
