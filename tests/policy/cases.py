"""The ways in which each rule is met, as changes to our own stacks, which are compliant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pack.resources import (
    PERMISSION,
    QUEUE_POLICY,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
)
from tests.policy.changes import Change, add, policy, set_to, unknown, unknown_from, without

QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012:sales-queue-1a2b3c4"
DEAD_LETTER_ARN = "arn:aws:sqs:us-east-1:123456789012:sales-dead-letter-queue-1a2b3c4"
FOREIGN_POLICY = "arn:aws:iam::123456789012:policy/from-elsewhere"
NAT_GATEWAY = "aws:ec2/natGateway:NatGateway"
FUNCTION_URL = "aws:lambda/functionUrl:FunctionUrl"
SCALING_TARGET = "aws:appautoscaling/target:Target"


@dataclass(frozen=True)
class Case:
    """One rule: what breaks it, what it says when a property is absent or unknown, what its options change.

    `missing_findings` and `unknown_findings` count the findings on that; what is unknown is otherwise one
    advisory line. `allowed` is configuration under which the break is none.
    """

    rule: str
    breaks: Change
    says: str
    missing: Change
    unknown: Change
    allowed: Mapping[str, Any]
    missing_findings: int = 1
    unknown_findings: int = 0
    stack: str = "dev"
    named: tuple[str, ...] = field(default=())


def _forbidden(rule: str, type_: str) -> Case:
    return Case(
        rule=rule,
        breaks=add(type_, anything="at all"),
        says="must not exist",
        missing=add(type_),
        unknown=add(type_, anything="04da6b54-80e4-46f7-96ec-b56ff0331ba9"),
        unknown_findings=1,
        allowed={"allowedTypes": [type_]},
        named=("added",),
    )


CASES = (
    Case(
        rule="lambda-role-least-privilege",
        breaks=add(
            ROLE_POLICY, role="orders-command-role-1a2b3c4", policy=policy(Action="sqs:*", Resource="*")
        ),
        says="Broken allows sqs:* on a wildcard beyond it",
        missing=without("orders-command-policy", "policy"),
        unknown=unknown_from("orders-command-policy", "policy"),
        allowed={"exempt": ["orders-*"]},
        named=("orders-command-function",),
    ),
    Case(
        rule="iam-no-broad-statement",
        breaks=add(ROLE_POLICY, policy=policy(Action="sqs:ListQueues", Resource="*")),
        says="Broken has a wildcard resource",
        missing=add(ROLE_POLICY),
        unknown=unknown("orders-command-policy", "policy"),
        allowed={"unscopedActions": ["dynamodb:ListStreams", "sqs:ListQueues"], "regionCondition": False},
        named=("added",),
    ),
    Case(
        rule="iam-attached-policy-in-stack",
        breaks=add(ROLE_ATTACHMENT, role="orders-command-role-1a2b3c4", policyArn=FOREIGN_POLICY),
        says="it attaches one from elsewhere",
        missing=add(ROLE_ATTACHMENT, role="orders-command-role-1a2b3c4"),
        missing_findings=0,
        unknown=add(
            ROLE_ATTACHMENT,
            role="orders-command-role-1a2b3c4",
            policyArn="04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        ),
        unknown_findings=1,
        allowed={"allowedPolicies": [FOREIGN_POLICY]},
        named=("added",),
    ),
    Case(
        rule="iam-role-one-function",
        breaks=set_to(
            "orders-command-role",
            "assumeRolePolicy",
            value=policy(Action="sts:AssumeRole", Principal={"Service": "edgelambda.amazonaws.com"}),
        ),
        says="its trust policy lets others take it",
        missing=without("orders-command-role", "assumeRolePolicy"),
        unknown=unknown("orders-command-role", "assumeRolePolicy"),
        allowed={"trustedServices": ["lambda.amazonaws.com", "edgelambda.amazonaws.com"]},
        named=("orders-command-role",),
    ),
    Case(
        rule="iam-role-one-style",
        breaks=set_to("orders-command-role", "managedPolicyArns", value=[FOREIGN_POLICY]),
        says="it has managedPolicyArns",
        missing=without("orders-command-role", "managedPolicyArns"),
        missing_findings=0,
        unknown=unknown("orders-command-role", "inlinePolicies"),
        unknown_findings=1,
        allowed={"exempt": ["orders-command-role"]},
        named=("orders-command-role",),
    ),
    Case(
        rule="iam-resource-policy-closed",
        breaks=add(
            QUEUE_POLICY,
            policy=policy(Action="sqs:SendMessage", Resource=QUEUE_ARN, Principal={"AWS": "999999999999"}),
        ),
        says="Broken allows a principal that is no AWS service",
        missing=add(PERMISSION, principal="s3.amazonaws.com"),
        unknown=add(PERMISSION, principal="04da6b54-80e4-46f7-96ec-b56ff0331ba9"),
        allowed={"allowedPrincipals": ["999999999999"]},
        named=("added",),
    ),
    Case(
        rule="logs-retention-one-day",
        breaks=set_to("orders-relay-logs", "retentionInDays", value=7.0),
        says="must be kept exactly 1 day(s); it is kept 7 days",
        missing=without("orders-relay-logs", "retentionInDays"),
        unknown=unknown("orders-relay-logs", "retentionInDays"),
        allowed={"days": 7.0, "exempt": ["orders-command-logs", "sales-consumer-logs"]},
        named=("orders-relay-logs",),
    ),
    Case(
        rule="lambda-log-group-explicit",
        breaks=set_to("orders-relay-function", "loggingConfig", "logGroup", value="/aws/lambda/elsewhere"),
        says="it names one from elsewhere",
        missing=without("orders-relay-function", "loggingConfig"),
        unknown=unknown("orders-relay-policy", "policy"),
        allowed={"exempt": ["*-relay-function"]},
        named=("orders-relay-function",),
    ),
    Case(
        rule="queue-dead-letter",
        breaks=set_to(
            "sales-queue",
            "redrivePolicy",
            value=f'{{"deadLetterTargetArn": "{DEAD_LETTER_ARN}", "maxReceiveCount": 3}}',
        ),
        says="it allows 3, and throttled deliveries count too",
        missing=without("sales-queue", "redrivePolicy"),
        missing_findings=2,  # nothing is redriven to the other queue any more: it needs dead letters, too
        unknown=unknown_from("sales-queue", "redrivePolicy"),
        allowed={"minimumReceives": 3.0},
        named=("sales-queue",),
    ),
    Case(
        rule="queue-visibility",
        breaks=set_to("sales-queue", "visibilityTimeoutSeconds", value=59.0),
        says="for 60 s or more (6 timeouts of 'sales-consumer-function' and the batch window); it hides it for 59 s",
        missing=without("sales-queue", "visibilityTimeoutSeconds"),
        unknown=unknown("sales-consumer-function", "timeout"),
        allowed={"timeouts": 5.5},
        named=("sales-queue",),
    ),
    Case(
        rule="queue-encrypted",
        breaks=set_to("sales-queue", "sqsManagedSseEnabled", value=False),
        says="must say that it is encrypted",
        missing=without("sales-queue", "sqsManagedSseEnabled"),
        unknown=unknown("sales-queue", "sqsManagedSseEnabled"),
        allowed={"exempt": ["sales-queue"]},
        named=("sales-queue",),
    ),
    Case(
        rule="queue-long-polling",
        breaks=set_to("sales-queue", "receiveWaitTimeSeconds", value=10.0),
        says="it waits 10 s",
        missing=without("sales-queue", "receiveWaitTimeSeconds"),
        unknown=unknown("sales-queue", "receiveWaitTimeSeconds"),
        allowed={"minimumSeconds": 10.0},
        named=("sales-queue",),
    ),
    Case(
        rule="queue-message-size",
        breaks=set_to("sales-queue", "maxMessageSize", value=262_144.0),
        says="must take messages of 1048576 bytes; it takes 262144",
        missing=without("sales-queue", "maxMessageSize"),
        unknown=unknown("sales-queue", "maxMessageSize"),
        allowed={"minimumBytes": 262_144.0},
        named=("sales-queue",),
    ),
    Case(
        rule="queue-retention",
        breaks=set_to("sales-queue", "messageRetentionSeconds", value=3600.0),
        says="must keep messages for 86400 s or more; it keeps them 3600 s",
        missing=without("sales-queue", "messageRetentionSeconds"),
        missing_findings=0,
        unknown=unknown("sales-queue", "messageRetentionSeconds"),
        allowed={"minimumSeconds": 3600.0},
        named=("sales-queue",),
    ),
    Case(
        rule="function-can-run",
        breaks=set_to("orders-relay-function", "timeout", value=9.0),
        says="its timeout is 9 s, and its work may take 10 s",
        missing=without("orders-relay-function", "timeout"),
        unknown=unknown("orders-relay-function", "timeout"),
        allowed={"minimumTimeoutSeconds": 9.0},
        named=("orders-relay-function",),
    ),
    Case(
        rule="mapping-failure-reporting",
        breaks=set_to("sales-consumer-mapping", "functionResponseTypes", value=[]),
        says="must heed reported failures",
        missing=without("sales-consumer-mapping", "functionResponseTypes"),
        unknown=unknown("sales-consumer-mapping", "functionResponseTypes"),
        allowed={"exempt": ["sales-*"]},
        named=("sales-consumer-mapping",),
    ),
    Case(
        rule="mapping-finite-retries",
        breaks=set_to("orders-relay-mapping", "maximumRecordAgeInSeconds", value=-1.0),
        says="must have maximumRecordAgeInSeconds from 60 to 604800; it is -1",
        missing=without("orders-relay-mapping", "maximumRecordAgeInSeconds"),
        unknown=unknown("orders-relay-mapping", "maximumRetryAttempts"),
        allowed={"exempt": ["orders-relay-mapping"]},
        named=("orders-relay-mapping",),
    ),
    Case(
        rule="mapping-stream-filter",
        breaks=set_to(
            "orders-relay-mapping", "filterCriteria", value={"filters": [{"pattern": '{"a": ["b"]}'}]}
        ),
        says="its filter differs",
        missing=without("orders-relay-mapping", "filterCriteria"),
        unknown=unknown("orders-relay-mapping", "filterCriteria"),
        allowed={"exempt": ["orders-relay-mapping"]},
        named=("orders-relay-mapping",),
    ),
    Case(
        rule="mapping-stream-start",
        breaks=set_to("orders-relay-mapping", "startingPosition", value="LATEST"),
        says="it starts at LATEST",
        missing=without("orders-relay-mapping", "startingPosition"),
        unknown=unknown("orders-relay-mapping", "startingPosition"),
        allowed={"exempt": ["orders-relay-mapping"]},
        named=("orders-relay-mapping",),
    ),
    Case(
        rule="mapping-enabled",
        breaks=set_to("orders-relay-mapping", "enabled", value=False),
        says="it is off and nothing is delivered",
        missing=without("orders-relay-mapping", "enabled"),
        missing_findings=0,
        unknown=unknown("orders-relay-mapping", "enabled"),
        allowed={"exempt": ["orders-relay-mapping"]},
        named=("orders-relay-mapping",),
    ),
    Case(
        rule="mapping-no-provisioned-pollers",
        breaks=set_to("sales-consumer-mapping", "provisionedPollerConfig", value={"minimumPollers": 2.0}),
        says="must use no provisioned pollers",
        missing=without("sales-consumer-mapping", "provisionedPollerConfig"),
        missing_findings=0,
        unknown=unknown("sales-consumer-mapping", "provisionedPollerConfig"),
        unknown_findings=1,
        allowed={"exempt": ["sales-consumer-mapping"]},
        named=("sales-consumer-mapping",),
    ),
    Case(
        rule="mapping-within-limits",
        breaks=without("sales-consumer-mapping", "scalingConfig"),
        says="must have a maximumConcurrency",
        missing=without("sales-consumer-mapping", "scalingConfig", "maximumConcurrency"),
        unknown=unknown("sales-consumer-mapping", "batchSize"),
        allowed={"boundedConcurrency": False},
        named=("sales-consumer-mapping",),
    ),
    Case(
        rule="table-on-demand",
        breaks=set_to("orders-source", "billingMode", value="PROVISIONED"),
        says="its capacity is provisioned",
        missing=without("orders-source", "billingMode"),
        unknown=unknown("orders-source", "billingMode"),
        allowed={"exempt": ["orders-source"]},
        named=("orders-source",),
    ),
    Case(
        rule="table-stream-new-image",
        breaks=set_to("orders-source", "streamViewType", value="KEYS_ONLY"),
        says="its stream holds KEYS_ONLY",
        missing=without("orders-source", "streamEnabled"),
        unknown=unknown("orders-source", "streamViewType"),
        allowed={"viewTypes": ["KEYS_ONLY"]},
        named=("orders-source",),
    ),
    Case(
        rule="table-protected",
        breaks=set_to("orders-source", "deletionProtectionEnabled", value=False),
        says="must be protected in stack 'prod'",
        missing=without("orders-source", "deletionProtectionEnabled"),
        unknown=unknown("orders-source", "deletionProtectionEnabled"),
        allowed={"productionStacks": ["live"]},
        stack="prod",
        named=("orders-source",),
    ),
    Case(
        rule="table-contract",
        breaks=set_to("sales-projection", "ttl", value={"enabled": True, "attributeName": "expires"}),
        says="must let nothing expire",
        missing=without("sales-projection", "rangeKey"),
        unknown=unknown("sales-projection", "hashKey"),
        allowed={"allowExpiry": True},
        named=("sales-projection",),
    ),
    _forbidden("cost-no-nat-gateway", NAT_GATEWAY),
    _forbidden("cost-no-public-endpoint", FUNCTION_URL),
    _forbidden("cost-no-provisioned-capacity", SCALING_TARGET),
    Case(
        rule="cost-no-customer-managed-key",
        breaks=set_to("sales-queue", "kmsMasterKeyId", value="a-key"),
        says="kmsMasterKeyId names one",
        missing=without("sales-queue", "kmsMasterKeyId"),
        missing_findings=0,
        unknown=unknown("sales-queue", "kmsMasterKeyId"),
        allowed={"allowedKeys": ["a-key"]},
        named=("sales-queue",),
    ),
    Case(
        rule="cost-function-bounds",
        breaks=set_to("orders-relay-function", "memorySize", value=2048.0),
        says="must have memorySize of 1024 at most; it is 2048",
        missing=without("orders-relay-function", "memorySize"),
        missing_findings=0,
        unknown=unknown("orders-relay-function", "memorySize"),
        allowed={"maximumMemoryMegabytes": 2048.0},
        named=("orders-relay-function",),
    ),
    Case(
        rule="fault-injection-off",
        breaks=set_to(
            "sales-consumer-function", "environment", "variables", "FAULT_AFTER_COMMIT", value="order-b"
        ),
        says="its environment has FAULT_AFTER_COMMIT",
        missing=without("sales-consumer-function", "environment"),
        missing_findings=0,
        unknown=unknown("sales-consumer-function", "environment"),
        allowed={"productionStacks": []},
        stack="prod",
        named=("sales-consumer-function",),
    ),
)
