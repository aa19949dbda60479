"""The reconciler: a scheduled function that resends events which were stored and never applied."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, NotRequired

import pulumi
from pulumi_aws import cloudwatch, lambda_

from . import limits
from .addresses import require_one_region, require_same_index, require_same_queue, require_same_table
from .arguments import checked, outputs_of, require_arguments, require_settings
from .lambda_function import FunctionArgs, LambdaFunction, function_code
from .lifetimes import reconciler_start, require_index
from .package import type_token
from .relations import require_event_types, require_reconciler_checks
from .statements import FIND_OUTBOX_ROWS, READ_INBOX_MARKERS, RESEND_OUTBOX
from .validation import require_name


class ReconcilerArgs(FunctionArgs):
    """Tables that a reconciler compares and queue that it sends to; the settings are optional."""

    source_table_name: pulumi.Input[str]
    """Name of the table with the outbox rows."""
    index_name: pulumi.Input[str] | None
    """Name of that table's index by the minute; an OutboxSource has one with `reconcile_index`."""
    index_arn: pulumi.Input[str] | None
    """ARN of the index."""
    projection_table_name: pulumi.Input[str]
    """Name of the table with the inbox markers of one consumer; each consumer has a reconciler of its own."""
    projection_table_arn: pulumi.Input[str]
    """ARN of that table."""
    queue_url: pulumi.Input[str]
    """URL of that consumer's delivery queue."""
    queue_arn: pulumi.Input[str]
    """ARN of the queue."""
    event_types: NotRequired[list[str]]
    """Types of the events that the consumer gets; all, if none are named."""
    reconciler_interval_minutes: NotRequired[int]
    """Minutes between two runs."""
    reconciler_margin_seconds: NotRequired[int]
    """Age at which an event without a marker is sent again for the first time, then at two, four, eight times that."""
    reconciler_horizon_seconds: NotRequired[int]
    """Age beyond which an event is left to `outbox reconcile`; twice the margin at least."""
    reconciler_start: NotRequired[str]
    """Rows stored before this minute are left alone. For a consumer that joined later, it is the time at which the
    relay began to send to its queue; without it, the reconciler checks all rows up to the horizon."""


def require_reconciler_settings(args: Mapping[str, object]) -> None:
    """Every setting is in its range, and each event is checked twice.

    Raises:
        InvalidSettingError: one is not, or there is no such argument.
    """
    require_settings(args, ReconcilerArgs)
    require_reconciler_checks(
        margin_seconds=limits.RECONCILER_MARGIN_SECONDS.read(args),
        horizon_seconds=limits.RECONCILER_HORIZON_SECONDS.read(args),
    )
    reconciler_start(limits.RECONCILER_START.read(args))
    require_event_types(args.get("event_types"))


class Reconciler(pulumi.ComponentResource):
    """A function that compares stored events with what one consumer applied, and sends what is missing again.

    It makes up for a relay that was off for longer than its retries, its records' age or the stream's day. An
    event that stays unapplied, such as one in the dead-letter queue, is sent ever more rarely: at each doubling of
    its age.
    """

    function_name: pulumi.Output[str]
    """Name of the reconciler function."""
    function_arn: pulumi.Output[str]
    """ARN of the reconciler function."""
    role_arn: pulumi.Output[str]
    """ARN of the reconciler function's role."""
    log_group_name: pulumi.Output[str]
    """Name of the reconciler function's log group."""
    schedule_name: pulumi.Output[str]
    """Name of the EventBridge rule that starts it."""
    start: pulumi.Output[str] | None
    """Time before which it leaves rows alone, if there is one."""

    def __init__(self, name: str, args: ReconcilerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        require_name(name)
        require_reconciler_settings(args)
        require_arguments(args, ReconcilerArgs)
        require_index(args.get("index_name"), args.get("index_arn"))
        queue: Any = checked(
            [args["queue_url"], args["queue_arn"]], partial(require_same_queue, "queue_url", "queue_arn")
        )
        queue_url, queue_arn = queue[0], queue[1]
        index_arn = checked(
            [args["source_table_name"], args["index_name"], args["index_arn"]], require_same_index
        )
        projection_arn = checked(
            [args["projection_table_name"], args["projection_table_arn"]],
            partial(require_same_table, "projection_table_name", "projection_table_arn"),
        )
        require_one_region(
            {"index_arn": [index_arn], "projection_table_arn": [projection_arn], "queue_arn": [queue_arn]}
        )
        code = function_code(args, module="reconciler")
        interval_minutes = limits.RECONCILER_INTERVAL_MINUTES.read(args)
        start = reconciler_start(limits.RECONCILER_START.read(args))
        super().__init__(type_token("Reconciler"), name, {}, opts)

        environment: dict[str, pulumi.Input[str]] = {
            "SOURCE_TABLE": args["source_table_name"],
            "SOURCE_INDEX": pulumi.Output.from_input(args["index_name"] or ""),
            "PROJECTION_TABLE": args["projection_table_name"],
            "QUEUE_URL": queue_url,
            "RECONCILE_INTERVAL_MINUTES": str(interval_minutes),
            "RECONCILE_MARGIN_SECONDS": str(limits.RECONCILER_MARGIN_SECONDS.read(args)),
            "RECONCILE_HORIZON_SECONDS": str(limits.RECONCILER_HORIZON_SECONDS.read(args)),
        }
        if event_types := require_event_types(args.get("event_types")):
            environment["EVENT_TYPES"] = json.dumps(event_types)
        if start:
            environment["RECONCILE_START"] = str(start)
        reconciler = LambdaFunction(
            f"{name}-reconciler",
            args,
            code=code,
            purpose="reconciler",
            environment=environment,
            statements=[
                FIND_OUTBOX_ROWS.on(index_arn),
                READ_INBOX_MARKERS.on(projection_arn),
                RESEND_OUTBOX.on(queue_arn),
            ],
            parent=self,
        )
        # A rule and not EventBridge Scheduler, which would need a role of its own to invoke the function.
        schedule = cloudwatch.EventRule(
            f"{name}-reconciler-schedule",
            schedule_expression=_rate(interval_minutes),
            state="ENABLED",
            opts=pulumi.ResourceOptions(parent=self),
        )
        permission = lambda_.Permission(
            f"{name}-reconciler-permission",
            action="lambda:InvokeFunction",
            function=reconciler.function_name,
            principal="events.amazonaws.com",
            source_arn=schedule.arn,
            opts=pulumi.ResourceOptions(parent=self),
        )
        cloudwatch.EventTarget(
            f"{name}-reconciler-target",
            rule=schedule.name,
            arn=reconciler.function_arn,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[permission]),
        )

        self.function_name = reconciler.function_name
        self.function_arn = reconciler.function_arn
        self.role_arn = reconciler.role_arn
        self.log_group_name = reconciler.log_group_name
        self.schedule_name = schedule.name
        self.start = pulumi.Output.from_input(args["reconciler_start"]) if start else None
        self.register_outputs(outputs_of(self))


def _rate(minutes: int) -> str:
    """How often, as EventBridge has it: the singular for one.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rate-expressions.html
    """
    return f"rate({minutes} minute{'' if minutes == 1 else 's'})"
