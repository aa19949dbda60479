"""A Lambda function with everything that is its own: log group, role, one inline policy."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

import pulumi
from pulumi_aws import cloudwatch, iam, lambda_

from . import limits
from .addresses import require_one_region
from .archive import archive, function_sources, require_handler
from .package import type_token
from .pinned_packages import own_pinned_files
from .statements import (
    WRITE_FUNCTION_LOGS,
    PolicyDocument,
    Statement,
    policy_document,
    streams_of,
    trust_policy,
)
from .validation import NOT_RESERVED

RUNTIME = "python3.14"
EPHEMERAL_STORAGE_MEGABYTES = 512


class FunctionArgs(TypedDict):
    """What each component takes for its function."""

    code: NotRequired[str]
    """Folder with your own handlers, relative to the working directory; its `*.py` files are zipped with the
    package `outbox`. Without it, the function has the walkthrough's handler."""
    handler: NotRequired[str]
    """Entry point `module.function` in the code."""
    dependencies: NotRequired[str]
    """`runtime`: the boto3 that Lambda brings. `bundled`: the one that `handlers/requirements.txt` pins, in the
    archive; it knows DynamoDB and SQS alone, and a cold start compiles it."""
    architecture: NotRequired[str]
    """Processor of the function."""
    function_timeout_seconds: NotRequired[int]
    """Longest run of one invocation."""
    function_memory_megabytes: NotRequired[int]
    """Memory, and with it the share of a processor; 1769 are a whole one."""
    log_retention_days: NotRequired[int]
    """How long CloudWatch keeps the function's logs."""
    log_format: NotRequired[str]
    """`Text`: the words alone. `JSON`: objects, with the same words as `message`."""
    reserved_concurrency: NotRequired[int]
    """Concurrency kept for this function alone."""


@dataclass(frozen=True, kw_only=True)
class FunctionSettings:
    """The same, read before any resource exists."""

    code: pulumi.AssetArchive
    handler: str
    architecture: str
    log_format: str
    timeout_seconds: int
    memory_megabytes: int
    log_retention_days: int
    reserved_concurrency: int

    @classmethod
    def read(
        cls, args: Mapping[str, object], *, module: str, needs: Sequence[str] = ()
    ) -> "FunctionSettings":
        """Read a component's args; `module` and what it `needs` are the code used without `code`.

        Raises:
            InvalidSettingError: a value is out of its range, or the code could not be imported.
        """
        code = args.get("code")
        sources = function_sources(
            [f"{name}.py" for name in (module, *needs)], None if code is None else Path(str(code))
        )
        return cls(
            code=archive(
                sources, own_pinned_files() if limits.DEPENDENCIES.read(args) == "bundled" else None
            ),
            handler=require_handler(str(args.get("handler") or f"{module}.lambda_handler"), sources),
            architecture=limits.ARCHITECTURE.read(args),
            log_format=limits.LOG_FORMAT.read(args),
            timeout_seconds=limits.FUNCTION_TIMEOUT_SECONDS.read(args),
            memory_megabytes=limits.FUNCTION_MEMORY_MEGABYTES.read(args),
            log_retention_days=limits.LOG_RETENTION_DAYS.read(args),
            reserved_concurrency=limits.RESERVED_CONCURRENCY.read(args),
        )


class LambdaFunctionArgs(TypedDict):
    """What a function is for and what it may do."""

    purpose: str
    settings: FunctionSettings
    environment: Mapping[str, pulumi.Input[str]]
    statements: Sequence[Statement]


class LambdaFunction(pulumi.ComponentResource):
    """A function that finds its rights and its log group ready when it is first invoked.

    Its purpose and its grants (statement id to actions) are registered as plain data: they are known at a
    first preview, when the policy document with its ARNs is not.
    """

    def __init__(
        self, name: str, args: LambdaFunctionArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        settings = args["settings"]
        grants = {statement["Sid"]: statement["Action"] for statement in args["statements"]}
        grants[WRITE_FUNCTION_LOGS.sid] = list(WRITE_FUNCTION_LOGS.actions)
        declared = {"purpose": args["purpose"], "grants": grants}
        super().__init__(type_token("LambdaFunction"), name, declared, opts)

        log_group = cloudwatch.LogGroup(
            f"{name}-logs",
            log_group_class="STANDARD",
            retention_in_days=settings.log_retention_days,
            opts=pulumi.ResourceOptions(parent=self),
        )
        role = iam.Role(
            f"{name}-role",
            assume_role_policy=json.dumps(trust_policy()),
            opts=pulumi.ResourceOptions(parent=self),
        )
        # Only ever a separate policy: inline blocks on the role and policies like this one undo each other.
        self.policy = iam.RolePolicy(
            f"{name}-policy",
            role=role.name,
            policy=pulumi.Output.json_dumps(
                pulumi.Output.from_input(
                    policy_document(
                        [*args["statements"], WRITE_FUNCTION_LOGS.on(log_group.arn.apply(streams_of))]
                    )
                ).apply(_of_one_region)
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        function = lambda_.Function(
            f"{name}-function",
            role=role.arn,
            runtime=RUNTIME,
            architectures=[settings.architecture],
            code=settings.code,
            handler=settings.handler,
            memory_size=settings.memory_megabytes,
            timeout=settings.timeout_seconds,
            ephemeral_storage={"size": EPHEMERAL_STORAGE_MEGABYTES},
            reserved_concurrent_executions=None
            if settings.reserved_concurrency == NOT_RESERVED
            else settings.reserved_concurrency,
            environment={"variables": args["environment"]},
            logging_config={"log_format": settings.log_format, "log_group": log_group.name},
            # Without its group Lambda would make one that is kept for ever: naming it waits for it. Without its
            # rights a first invocation would be denied, and nothing above refers to the policy.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[self.policy]),
        )

        self.function_name = function.name
        self.function_arn = function.arn
        self.role_arn = role.arn
        self.log_group_name = log_group.name
        self.register_outputs(
            {
                **declared,
                "function_name": self.function_name,
                "function_arn": self.function_arn,
                "role_arn": self.role_arn,
                "log_group_name": self.log_group_name,
            }
        )


def _of_one_region(document: PolicyDocument) -> PolicyDocument:
    """The document, whose last statement names the function's own log group."""
    named = {statement["Sid"]: statement["Resource"] for statement in reversed(document["Statement"])}
    require_one_region({sid: on if isinstance(on, list) else [on] for sid, on in named.items()})
    return document
