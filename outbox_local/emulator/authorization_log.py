"""Keeps the authorization log, and authorizes what the emulator does not: writes to a function's own log.

ministack 1.5.33 writes a function's log without asking its role. AWS writes it with the role's rights: a new
execution environment needs `logs:CreateLogStream`, and every write `logs:PutLogEvents`; lines that may not be
written are lost. The emulator opens a log stream for every invocation, so here each of them needs both.
https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs.html
"""

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from ministack.core import iam_evaluator
from ministack.services import lambda_svc

from outbox_local.authorization_log import PATH

# How often a role asked for an action on a resource, and whether it was allowed.
_counts: Counter[tuple[str, str, str, bool]] = Counter()

# The contexts that were evaluated for the call that is being authorized.
_evaluated: ContextVar[list[Any]] = ContextVar("_evaluated")

LOG_ACTIONS = ("logs:CreateLogStream", "logs:PutLogEvents")

Application = Callable[[Any, Any, Any], Awaitable[None]]  # as ASGI has it


def install() -> None:
    """Replaces the emulator's authorization of a call, and its writer of function logs."""
    iam_evaluator.enforce = _counted(iam_evaluator.enforce)
    iam_evaluator.evaluate = _noted(iam_evaluator.evaluate)
    lambda_svc._emit_lambda_logs = _with_the_roles_rights(lambda_svc._emit_lambda_logs)


def answering(app: Application) -> Application:
    """The emulator's application with one more path, which tells the counts."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] != PATH:
            await app(scope, receive, send)
            return
        body = json.dumps([[*key, count] for key, count in _counts.copy().items()]).encode()
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return application


def _counted(enforce: Callable[..., Any]) -> Callable[..., Any]:
    """Authorizes as before, and counts; enforcing evaluates the role's own policies first."""

    def counted(*arguments: Any, **options: Any) -> Any:
        contexts: list[Any] = []
        token = _evaluated.set(contexts)
        try:
            refusal = enforce(*arguments, **options)
        finally:
            _evaluated.reset(token)
        if contexts:
            _count(contexts[0], allowed=refusal is None)
        return refusal

    return counted


def _noted(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    def noted(context: Any, *policies: Any) -> Any:
        _evaluated.get([]).append(context)
        return evaluate(context, *policies)

    return noted


def _count(context: Any, *, allowed: bool) -> None:
    if ":assumed-role/" in context.principal_arn:
        role = iam_evaluator._role_name_from_assumed_arn(context.principal_arn)
        _counts[role, context.action, context.resource_arn, allowed] += 1


def _with_the_roles_rights(original: Callable[..., None]) -> Callable[..., None]:
    def emit(function: dict[str, Any], *arguments: Any, **options: Any) -> None:
        config = function.get("config") or function
        allowed = [_may(config, action) for action in LOG_ACTIONS]  # each, also behind a refusal
        if all(allowed):
            original(function, *arguments, **options)

    return emit


def _may(config: dict[str, Any], action: str) -> bool:
    """Whether the function's role allows an action on the streams of the function's log group."""
    partition, _, region, account = config["FunctionArn"].split(":")[1:5]
    role = config["Role"].rpartition("/")[2]
    name = config["FunctionName"]
    group = (config.get("LoggingConfig") or {}).get("LogGroup") or f"/aws/lambda/{name}"
    context = iam_evaluator.EvalContext(
        principal_arn=f"arn:{partition}:sts::{account}:assumed-role/{role}/{name}",
        principal_type="AssumedRole",
        principal_account=account,
        action=action,
        resource_arn=f"arn:{partition}:logs:{region}:{account}:log-group:{group}:log-stream:{name}",
        region=region,
        service_context={},
        principal_keys={},
    )
    policies = iam_evaluator._gather_role_policies(role, account)
    allowed: bool = iam_evaluator.evaluate(context, policies).decision == "Allow"
    _count(context, allowed=allowed)
    return allowed
