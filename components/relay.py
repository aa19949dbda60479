"""The relay: a function that sends stored events from a table's stream to queues."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NotRequired

import pulumi
from pulumi_aws import lambda_, sqs

from . import limits
from .addresses import require_different, require_one_region, require_same_queue
from .arguments import checked, outputs_of, require_arguments, require_settings
from .lambda_function import FunctionArgs, LambdaFunction, function_code
from .package import type_token
from .queues import RelayQueue, standard_queue
from .relations import (
    require_new_image,
    require_permission_for_unlimited,
    require_queues,
    require_stream_arn,
)
from .statements import (
    FORWARD_OUTBOX,
    READ_SOURCE_STREAM,
    REPORT_FAILED_RECORDS,
    Statement,
    discover_streams,
    region_of,
)
from .validation import require_name

# A record that the filter leaves out is gone for this mapping and costs no invocation.
# https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
OUTBOX_INSERTS = json.dumps(
    {"eventName": ["INSERT"], "dynamodb": {"NewImage": {"kind": {"S": ["OUTBOX"]}}}}, separators=(",", ":")
)
FAILURE_RETENTION_SECONDS = 14 * limits.DAY_SECONDS


class RelayArgs(FunctionArgs):
    """Stream that a relay reads and queues that it sends to; the settings are optional."""

    stream_arn: pulumi.Input[str]
    """ARN of the table's stream, as the table's own output: grant and mapping then follow a new stream."""
    queues: list[RelayQueue]
    """Queues to send to, each with the types of the events that it wants."""
    stream_view_type: NotRequired[pulumi.Input[str]]
    """The table's stream view type; given, a view without the new image is refused."""
    failure_queue: NotRequired[bool]
    """Add a queue for abandoned batches. It receives positions in the stream, not events: recover those from the
    stored outbox rows."""
    stream_batch_size: NotRequired[int]
    """Most records handed to one invocation."""
    stream_batch_window_seconds: NotRequired[int]
    """Longest wait for a batch of records to fill."""
    stream_parallelization: NotRequired[int]
    """Batches of one shard handled at a time; each item's order is kept."""
    stream_maximum_retries: NotRequired[int]
    """Attempts after the first before a batch is abandoned."""
    stream_maximum_record_age_seconds: NotRequired[int]
    """Age at which a record expires."""
    allow_unlimited_retries: NotRequired[bool]
    """Accept -1 (no limit) for retries and record age."""


def require_relay_settings(args: Mapping[str, object]) -> None:
    """Every setting is in its range, and no limit is lifted unasked.

    Raises:
        InvalidSettingError: one is not, or there is no such argument.
    """
    require_settings(args, RelayArgs)
    require_permission_for_unlimited(
        retries=limits.STREAM_MAXIMUM_RETRIES.read(args),
        record_seconds=limits.STREAM_MAXIMUM_RECORD_AGE_SECONDS.read(args),
        is_allowed=limits.ALLOW_UNLIMITED_RETRIES.read(args),
    )


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
        require_relay_settings(args)
        require_arguments(args, RelayArgs)
        require_queues(args["queues"])
        require_different("queues", [queue["url"] for queue in args["queues"]])
        require_different("queues", [queue["arn"] for queue in args["queues"]])
        queues: list[Any] = [
            checked([queue["url"], queue["arn"]], partial(require_same_queue, "url", "arn"))
            for queue in args["queues"]
        ]
        queue_urls, queue_arns = [each[0] for each in queues], [each[1] for each in queues]
        event_types = [queue.get("event_types") or [] for queue in args["queues"]]
        require_one_region({"stream_arn": [args["stream_arn"]], "queues": queue_arns})
        code = function_code(args, module="relay")
        stream_arn = _checked_stream(args)
        super().__init__(type_token("Relay"), name, {}, opts)

        statements: list[Statement] = [
            FORWARD_OUTBOX.on(queue_arns),
            READ_SOURCE_STREAM.on(stream_arn),
            discover_streams(stream_arn.apply(region_of)),
        ]
        failures: sqs.Queue | None = None
        if limits.FAILURE_QUEUE.read(args):
            failures = standard_queue(
                f"{name}-relay-failures", retention_seconds=FAILURE_RETENTION_SECONDS, parent=self
            )
            statements.append(REPORT_FAILED_RECORDS.on(failures.arn))
        relay = LambdaFunction(
            f"{name}-relay",
            args,
            code=code,
            purpose="relay",
            environment=_queue_environment(queue_urls, event_types),
            statements=statements,
            parent=self,
        )
        mapping = lambda_.EventSourceMapping(
            f"{name}-relay-mapping",
            event_source_arn=stream_arn,
            function_name=relay.function_arn,
            enabled=True,
            batch_size=limits.STREAM_BATCH_SIZE.read(args),
            maximum_batching_window_in_seconds=limits.STREAM_BATCH_WINDOW_SECONDS.read(args),
            parallelization_factor=limits.STREAM_PARALLELIZATION.read(args),
            starting_position="TRIM_HORIZON",
            maximum_retry_attempts=limits.STREAM_MAXIMUM_RETRIES.read(args),
            maximum_record_age_in_seconds=limits.STREAM_MAXIMUM_RECORD_AGE_SECONDS.read(args),
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
        self.register_outputs(outputs_of(self))


def _checked_stream(args: RelayArgs) -> pulumi.Output[str]:
    """The stream's ARN; what is already known to be no stream with new images is refused at once."""
    given = [args["stream_arn"], args.get("stream_view_type")]
    return pulumi.Output.from_input(checked(given, _require_readable))


def _require_readable(stream: Sequence[object]) -> str:
    stream_arn, view_type = stream
    if view_type is not None:
        require_new_image(view_type)
    return require_stream_arn(stream_arn)


def _queue_environment(
    queue_urls: list[pulumi.Input[str]], event_types: Sequence[Sequence[str]]
) -> dict[str, pulumi.Input[str]]:
    """The queues' URLs, and for those that want some types alone, the types by URL."""
    different = partial(require_different, "queues")
    environment: dict[str, pulumi.Input[str]] = (
        {"QUEUE_URL": queue_urls[0]}
        if len(queue_urls) == 1
        else {"QUEUE_URLS": pulumi.Output.all(*queue_urls).apply(lambda urls: " ".join(different(urls)))}
    )
    if any(event_types):
        environment["QUEUE_TYPES"] = pulumi.Output.all(*queue_urls).apply(
            lambda urls: json.dumps(
                {url: list(each) for url, each in zip(urls, event_types, strict=True) if each}
            )
        )
    return environment
