"""Keeps the emulator from making log groups for functions, as AWS does where the role may not.

ministack 1.5.33 makes a missing group for whatever a function logs, so a late invocation brought back a group
that had been deleted. In AWS that takes `logs:CreateLogGroup`, which none of our roles has: the lines are lost.
https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs.html
"""

from collections.abc import Callable
from typing import Any

from ministack.services import cloudwatch_logs, lambda_svc


def install() -> None:
    """Replaces the emulator's writer of function logs."""
    lambda_svc._emit_lambda_logs = _into_existing_groups(lambda_svc._emit_lambda_logs)


def _into_existing_groups(original: Callable[..., None]) -> Callable[..., None]:
    def emit(function: dict[str, Any], *arguments: Any, **options: Any) -> None:
        config = function.get("config") or function
        group = (config.get("LoggingConfig") or {}).get("LogGroup") or f"/aws/lambda/{config['FunctionName']}"
        if group in cloudwatch_logs._log_groups:
            original(function, *arguments, **options)

    return emit
