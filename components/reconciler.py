"""What sends again by itself what was stored and never applied: a function on a schedule."""

from functools import partial
from typing import NotRequired, TypedDict

import pulumi
from pulumi_aws import cloudwatch, lambda_

from . import limits
from .arguments import checked, require_arguments
from .lambda_function import FunctionSettings, LambdaFunction
from .lifetimes import reconciler_start, require_index
from .package import type_token
from .relations import require_queue_url, require_reconciler_looks, require_standard_queue
from .statements import FIND_OUTBOX_ROWS, READ_INBOX_MARKERS, RESEND_OUTBOX
from .validation import require_name


class ReconcilerArgs(TypedDict):
    """What a reconciler compares and where it sends; the settings are optional."""

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
    reconciler_interval_minutes: NotRequired[int]
    """Minutes between two runs, 1 to 60."""
    reconciler_margin_seconds: NotRequired[int]
    """Age at which an event without a marker is sent again for the first time, then at two, four, eight times that;
    60 to 86400."""
    reconciler_horizon_seconds: NotRequired[int]
    """Age beyond which an event is left to `outbox reconcile`, 3600 to 1209600 and twice the margin at least."""
    reconciler_start: NotRequired[str]
    """Time in ISO format (UTC without a zone) or epoch seconds: rows stored before its minute are left alone. For a
    consumer that joined later, it is the time at which the relay began to send to its queue; without it, the
    reconciler looks at all rows up to the horizon."""
    code: NotRequired[str]
    """Folder with your own handlers, relative to the working directory; its `*.py` files are zipped with the
    package `outbox`. Without it, the stored body of every lost event is sent again."""
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


class Reconciler(pulumi.ComponentResource):
    """A function that compares stored events with what one consumer applied, and sends what is missing again.

    It heals a relay that was off for longer than its retries, its records' age or the stream's day. An event that
    stays unapplied, such as a dead letter, is sent ever more rarely: at each doubling of its age.
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

    def __init__(self, name: str, args: ReconcilerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        require_name(name)
        require_arguments(args, ReconcilerArgs)
        require_index(args.get("index_name"), args.get("index_arn"))
        queue_url = checked(args["queue_url"], partial(require_queue_url, "queue_url"))
        queue_arn = checked(args["queue_arn"], partial(require_standard_queue, "queue_arn"))
        settings = FunctionSettings.read(args, module="reconciler")
        interval_minutes = limits.RECONCILER_INTERVAL_MINUTES.read(args)
        margin_seconds = limits.RECONCILER_MARGIN_SECONDS.read(args)
        horizon_seconds = limits.RECONCILER_HORIZON_SECONDS.read(args)
        require_reconciler_looks(margin_seconds=margin_seconds, horizon_seconds=horizon_seconds)
        start = reconciler_start(args.get("reconciler_start"))
        super().__init__(type_token("Reconciler"), name, {}, opts)

        environment: dict[str, pulumi.Input[str]] = {
            "SOURCE_TABLE": args["source_table_name"],
            "SOURCE_INDEX": pulumi.Output.from_input(args["index_name"] or ""),
            "PROJECTION_TABLE": args["projection_table_name"],
            "QUEUE_URL": queue_url,
            "RECONCILE_INTERVAL_MINUTES": str(interval_minutes),
            "RECONCILE_MARGIN_SECONDS": str(margin_seconds),
            "RECONCILE_HORIZON_SECONDS": str(horizon_seconds),
        }
        if start:
            environment["RECONCILE_START"] = str(start)
        reconciler = LambdaFunction(
            f"{name}-reconciler",
            {
                "purpose": "reconciler",
                "settings": settings,
                "environment": environment,
                "statements": [
                    FIND_OUTBOX_ROWS.on(args["index_arn"] or ""),
                    READ_INBOX_MARKERS.on(args["projection_table_arn"]),
                    RESEND_OUTBOX.on(queue_arn),
                ],
            },
            pulumi.ResourceOptions(parent=self),
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
        self.register_outputs(
            {
                "function_name": self.function_name,
                "function_arn": self.function_arn,
                "role_arn": self.role_arn,
                "log_group_name": self.log_group_name,
                "schedule_name": self.schedule_name,
            }
        )


def _rate(minutes: int) -> str:
    """How often, as EventBridge has it: the singular for one.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rate-expressions.html
    """
    return f"rate({minutes} minute{'' if minutes == 1 else 's'})"
