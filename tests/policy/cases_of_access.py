"""The rules on rights and on what must not exist, each with the ways in which it is met."""

from pack.resources import (
    PERMISSION,
    QUEUE_POLICY,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
)
from tests.policy.case import Case, setting
from tests.policy.changes import add, policy, unknown, unknown_from, without
from tests.policy.worlds import ACCOUNT

QUEUE_ARN = f"arn:aws:sqs:us-east-1:{ACCOUNT}:sales-queue-1a2b3c4"
FOREIGN_POLICY = f"arn:aws:iam::{ACCOUNT}:policy/from-elsewhere"
NAT_GATEWAY = "aws:ec2/natGateway:NatGateway"
FUNCTION_URL = "aws:lambda/functionUrl:FunctionUrl"
SCALING_TARGET = "aws:appautoscaling/target:Target"


def _forbidden(rule: str, type_: str) -> Case:
    return Case(
        rule=rule,
        breaks=add(type_, anything="at all"),
        says="must not exist",
        missing=add(type_),
        unknown=add(type_, anything="04da6b54-80e4-46f7-96ec-b56ff0331ba9"),
        unknown_findings=1,
        allowed={"allowedTypes": [type_]},
        named="added",
    )


ACCESS = (
    Case(
        rule="lambda-role-least-privilege",
        breaks=add(
            ROLE_POLICY, role="orders-command-role-1a2b3c4", policy=policy(Action="sqs:*", Resource="*")
        ),
        says="Broken allows sqs:* on a wildcard beyond it",
        missing=without("orders-command-policy", "policy"),
        unknown=unknown_from("orders-command-policy", "policy"),
        allowed={"exempt": ["orders-*"]},
        named="orders-command-function",
    ),
    Case(
        rule="iam-no-broad-statement",
        breaks=add(ROLE_POLICY, policy=policy(Action="sqs:ListQueues", Resource="*")),
        says="Broken has a wildcard resource",
        missing=add(ROLE_POLICY),
        unknown=unknown("orders-command-policy", "policy"),
        allowed={"unscopedActions": ["dynamodb:ListStreams", "sqs:ListQueues"], "regionCondition": False},
        named="added",
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
        named="added",
    ),
    setting(
        "iam-role-one-function",
        "orders-command-role.assumeRolePolicy",
        policy(Action="sts:AssumeRole", Principal={"Service": "edgelambda.amazonaws.com"}),
        "its trust policy lets others take it",
        allowed={"trustedServices": ["lambda.amazonaws.com", "edgelambda.amazonaws.com"]},
    ),
    setting(
        "iam-role-one-style",
        "orders-command-role.managedPolicyArns",
        [FOREIGN_POLICY],
        "it has managedPolicyArns",
        missing_findings=0,
        unknown_findings=1,
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
        named="added",
    ),
    _forbidden("cost-no-nat-gateway", NAT_GATEWAY),
    _forbidden("cost-no-public-endpoint", FUNCTION_URL),
    _forbidden("cost-no-provisioned-capacity", SCALING_TARGET),
)
