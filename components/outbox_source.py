"""The source: a table that stores state and events together, its stream, and the command function."""

from collections.abc import Mapping
from typing import NotRequired

import pulumi

from . import limits
from .arguments import outputs_of, require_settings
from .lambda_function import FunctionArgs, LambdaFunction, function_code
from .lifetimes import require_row_lifetime
from .package import type_token
from .statements import WRITE_ORDER_AND_OUTBOX
from .tables import MINUTE_INDEX, index_arn, keyed_table, row_environment
from .validation import require_name


class OutboxSourceArgs(FunctionArgs):
    """Settings of an outbox source; all are optional."""

    protect_tables: NotRequired[bool]
    """Keep the table: a destroy, by Pulumi or by hand, is refused until this is off and deployed."""
    point_in_time_recovery: NotRequired[bool]
    """Keep continuous backups of the table, from which it can be restored to any second of the last 35 days."""
    reconcile_index: NotRequired[bool]
    """Add an index by which rows stored in some minutes are found; a Reconciler needs it. `outbox.commit`
    gives rows its keys, in your own code too. It costs one more write unit for each event, more above 1 KB."""
    outbox_row_lifetime_seconds: NotRequired[int]
    """Let rows expire so long after they are stored: 0 for never, or 16 days (1382400) and more. A row that is gone
    cannot be sent again."""


def require_source_settings(args: Mapping[str, object]) -> None:
    """Every setting is in its range.

    Raises:
        InvalidSettingError: one is not, or there is no such argument.
    """
    require_settings(args, OutboxSourceArgs)
    require_row_lifetime(limits.OUTBOX_ROW_LIFETIME_SECONDS.read(args))


class OutboxSource(pulumi.ComponentResource):
    """A table that takes state and outgoing event in one transaction, and the function that writes them."""

    table_name: pulumi.Output[str]
    """Name of the source table."""
    table_arn: pulumi.Output[str]
    """ARN of the source table."""
    stream_arn: pulumi.Output[str]
    """ARN of the table's current stream; give it to a Relay."""
    stream_view_type: pulumi.Output[str]
    """View type of the stream; give it to a Relay."""
    index_name: pulumi.Output[str] | None
    """Name of the index by the minute, if there is one; give it to a Reconciler."""
    index_arn: pulumi.Output[str] | None
    """ARN of the index by the minute, if there is one; give it to a Reconciler."""
    function_name: pulumi.Output[str]
    """Name of the command function."""
    function_arn: pulumi.Output[str]
    """ARN of the command function."""
    role_arn: pulumi.Output[str]
    """ARN of the command function's role."""
    log_group_name: pulumi.Output[str]
    """Name of the command function's log group."""

    def __init__(self, name: str, args: OutboxSourceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        require_name(name)
        require_source_settings(args)
        code = function_code(args, module="command", needs=["orders"])
        indexed = limits.RECONCILE_INDEX.read(args)
        row_lifetime_seconds = limits.OUTBOX_ROW_LIFETIME_SECONDS.read(args)
        super().__init__(type_token("OutboxSource"), name, {}, opts)

        table = keyed_table(
            f"{name}-source",
            protect=limits.PROTECT_TABLES.read(args),
            has_recovery=limits.POINT_IN_TIME_RECOVERY.read(args),
            parent=self,
            stream_view_type="NEW_IMAGE",
            expires=row_lifetime_seconds > 0,
            has_minute_index=indexed,
        )
        environment: dict[str, pulumi.Input[str]] = {
            "SOURCE_TABLE": table.name,
            **row_environment(is_indexed=indexed, lifetime_seconds=row_lifetime_seconds),
        }
        command = LambdaFunction(
            f"{name}-command",
            args,
            code=code,
            purpose="command",
            environment=environment,
            statements=[WRITE_ORDER_AND_OUTBOX.on(table.arn)],
            parent=self,
        )

        self.table_name = table.name
        self.table_arn = table.arn
        self.stream_arn = table.stream_arn
        self.stream_view_type = table.stream_view_type
        self.index_name = pulumi.Output.from_input(MINUTE_INDEX) if indexed else None
        self.index_arn = index_arn(table) if indexed else None
        self.function_name = command.function_name
        self.function_arn = command.function_arn
        self.role_arn = command.role_arn
        self.log_group_name = command.log_group_name
        self.register_outputs(outputs_of(self))
