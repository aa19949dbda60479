"""A Lambda function with everything that is its own: log group, role, one inline policy."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

import pulumi
from pulumi_aws import cloudwatch, iam, lambda_

from . import limits
from .addresses import require_one_region
from .archive import archive, function_sources, require_handler
from .own_code import COMPONENT_SIDS, FunctionStatement, own_environment, own_statements
from .package import type_token
from .pinned_packages import pinned_files
from .statements import (
    CONNECT_TO_VPC,
    WRITE_FUNCTION_LOGS,
    WRITE_TRACES,
    PolicyDocument,
    Statement,
    policy_document,
    streams_of,
    trust_policy,
)
from .validation import NOT_RESERVED

RUNTIME = "python3.14"
EPHEMERAL_STORAGE_MEGABYTES = 512


class FunctionVpc(TypedDict):
    """Subnets and security groups of a function in a VPC; it reaches DynamoDB and SQS by endpoints there."""

    subnet_ids: list[pulumi.Input[str]]
    """Its subnets."""
    security_group_ids: list[pulumi.Input[str]]
    """Its security groups."""


class FunctionArgs(TypedDict):
    """Arguments that each component takes for its function."""

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
    environment: NotRequired[dict[str, pulumi.Input[str]]]
    """Variables for your own code, such as the name of a table of yours."""
    statements: NotRequired[list[FunctionStatement]]
    """Rights for your own code. The policy pack wants each of them in its contract as well."""
    permissions_boundary: NotRequired[pulumi.Input[str]]
    """ARN of a policy that bounds the function's role."""
    layers: NotRequired[list[pulumi.Input[str]]]
    """ARNs of layers."""
    tracing: NotRequired[bool]
    """Trace invocations with X-Ray; the role gets the statement `WriteTraces`, which the policy pack wants added."""
    vpc: NotRequired[FunctionVpc]
    """Run in a VPC; the role gets the statement `ConnectToVpc`, which the policy pack wants added."""


class FunctionCode(NamedTuple):
    """A function's archive, and its entry point in it."""

    archive: pulumi.AssetArchive
    handler: str


def function_code(args: Mapping[str, object], *, module: str, needs: Sequence[str] = ()) -> FunctionCode:
    """The code of a component's function; without `code`, it is the `module` and what that `needs`.

    Raises:
        InvalidSettingError: the code could not be imported.
    """
    code = args.get("code")
    sources = function_sources(
        [f"{name}.py" for name in (module, *needs)], None if code is None else Path(str(code))
    )
    bundled = pinned_files() if limits.DEPENDENCIES.read(args) == "bundled" else None
    handler = require_handler(str(args.get("handler") or f"{module}.lambda_handler"), sources)
    return FunctionCode(archive(sources, bundled), handler)


class LambdaFunction(pulumi.ComponentResource):
    """A function that finds its rights and its log group ready when it is first invoked.

    Its purpose and its grants (statement id to actions) are registered as plain data: they are known at a
    first preview, when the policy document with its ARNs is not.
    """

    def __init__(
        self,
        name: str,
        args: Mapping[str, Any],
        *,
        purpose: str,
        code: FunctionCode,
        environment: Mapping[str, pulumi.Input[str]],
        statements: Sequence[Statement],
        parent: pulumi.Resource,
    ) -> None:
        """Build it from its component's `args`, whose settings are checked."""
        is_traced, vpc = limits.TRACING.read(args), args.get("vpc")
        own = [
            *own_statements(args),
            *([WRITE_TRACES.on("*")] if is_traced else []),
            *([CONNECT_TO_VPC.on("*")] if vpc else []),
        ]
        grants = {statement["Sid"]: statement["Action"] for statement in [*statements, *own]}
        grants[WRITE_FUNCTION_LOGS.sid] = list(WRITE_FUNCTION_LOGS.actions)
        declared = {"purpose": purpose, "grants": grants}
        reserved = limits.RESERVED_CONCURRENCY.read(args)
        super().__init__(type_token("LambdaFunction"), name, declared, pulumi.ResourceOptions(parent=parent))

        log_group = cloudwatch.LogGroup(
            f"{name}-logs",
            log_group_class="STANDARD",
            retention_in_days=limits.LOG_RETENTION_DAYS.read(args),
            opts=pulumi.ResourceOptions(parent=self),
        )
        role = iam.Role(
            f"{name}-role",
            assume_role_policy=json.dumps(trust_policy()),
            permissions_boundary=args.get("permissions_boundary"),
            opts=pulumi.ResourceOptions(parent=self),
        )
        # Only ever a separate policy: inline blocks on the role and policies like this one undo each other.
        self.policy = iam.RolePolicy(
            f"{name}-policy",
            role=role.name,
            policy=pulumi.Output.json_dumps(
                pulumi.Output.from_input(
                    policy_document(
                        [*statements, WRITE_FUNCTION_LOGS.on(log_group.arn.apply(streams_of)), *own]
                    )
                ).apply(_of_one_region)
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        function = lambda_.Function(
            f"{name}-function",
            role=role.arn,
            runtime=RUNTIME,
            architectures=[limits.ARCHITECTURE.read(args)],
            code=code.archive,
            handler=code.handler,
            memory_size=limits.FUNCTION_MEMORY_MEGABYTES.read(args),
            timeout=limits.FUNCTION_TIMEOUT_SECONDS.read(args),
            ephemeral_storage={"size": EPHEMERAL_STORAGE_MEGABYTES},
            reserved_concurrent_executions=None if reserved == NOT_RESERVED else reserved,
            environment={"variables": {**environment, **own_environment(args)}},
            layers=args.get("layers"),
            tracing_config={"mode": "Active"} if is_traced else None,
            vpc_config=vpc,
            logging_config={"log_format": limits.LOG_FORMAT.read(args), "log_group": log_group.name},
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
    """The document, if the component's own statements name one region; the first compared is the log group's."""
    own = [statement for statement in document["Statement"] if statement["Sid"] in COMPONENT_SIDS]
    named = {statement["Sid"]: statement["Resource"] for statement in reversed(own)}
    require_one_region({sid: on if isinstance(on, list) else [on] for sid, on in named.items()})
    return document
