"""Rights by other routes, roles that are shared, doors for strangers, resources that must not exist."""

import json
from typing import Any

from pack.resources import (
    CUSTOMER_POLICY,
    EXCLUSIVE_ATTACHMENTS,
    FUNCTION,
    GROUP_STYLE_ATTACHMENT,
    PERMISSION,
    QUEUE,
    QUEUE_POLICY,
    ROLE,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
)
from rules import cost_forbidden_types, cost_no_customer_managed_key
from tests.policy.changes import add, policy, put
from tests.policy.judging import BROAD, LEAST
from tests.policy.mutated_documents import Found
from tests.policy.worlds import ACCOUNT, Made, World

ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"
EVERYTHING = policy(Action="*", Resource="*")
ONE_FUNCTION, CLOSED = "iam-role-one-function", "iam-resource-policy-closed"
OTHER_SERVICE = {"Service": "ec2.amazonaws.com"}


def routes(world: World) -> Found:
    """Ways to give a role administrator access, shared roles, and doors for others."""
    for role in world.of(ROLE):
        yield from _administrators(role)
        yield from _trusts(role)
        for function in world.of(FUNCTION):
            if function.inputs["role"] != role.computed["arn"]:
                change = put(function.name, ("role",), role.computed["arn"])
                yield f"{function.name} under {role.name}", ONE_FUNCTION, change
                yield f"{function.name} with the rights of {role.name}", LEAST, change
    for queue in world.of(QUEUE):
        for principal in ("*", {"AWS": "*"}, {"AWS": "999999999999"}, {"Service": "sns.amazonaws.com"}):
            text, url = (
                policy(Action="sqs:SendMessage", Resource="*", Principal=principal),
                queue.computed["url"],
            )
            yield f"{queue.name} open to {principal}", CLOSED, add(QUEUE_POLICY, queueUrl=url, policy=text)
            yield f"{queue.name} itself open to {principal}", CLOSED, put(queue.name, ("policy",), text)
    for function in world.of(FUNCTION):
        for principal in ("*", "999999999999", "s3.amazonaws.com"):
            inputs = {"function": function.computed["name"], "action": "lambda:InvokeFunction"}
            change = add(PERMISSION, principal=principal, **inputs)
            yield f"{function.name} open to {principal}", CLOSED, change


def _administrators(role: Made) -> Found:
    name = role.computed["name"]
    added: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("role policy", ROLE_POLICY, {"role": name, "policy": EVERYTHING}),
        ("attachment", ROLE_ATTACHMENT, {"role": name, "policyArn": ADMINISTRATOR}),
        ("group-style attachment", GROUP_STYLE_ATTACHMENT, {"roles": [name], "policyArn": ADMINISTRATOR}),
        ("exclusive attachment", EXCLUSIVE_ATTACHMENTS, {"roleName": name, "policyArns": [ADMINISTRATOR]}),
        ("customer-managed policy", CUSTOMER_POLICY, {"policy": EVERYTHING}),
    )
    for title, type_, inputs in added:
        yield f"{role.name}: administrator by {title}", BROAD, add(type_, **inputs)
    inline = put(role.name, ("inlinePolicies",), [{"name": "all", "policy": EVERYTHING}])
    yield f"{role.name}: administrator by inline block", BROAD, inline
    managed = put(role.name, ("managedPolicyArns",), [ADMINISTRATOR])
    yield f"{role.name}: administrator by ARN", BROAD, managed
    yield f"{role.name}: two styles", "iam-role-one-style", managed
    foreign = add(ROLE_ATTACHMENT, role=name, policyArn=f"arn:aws:iam::{ACCOUNT}:policy/from-elsewhere")
    yield f"{role.name}: a policy from elsewhere", "iam-attached-policy-in-stack", foreign


def _trusts(role: Made) -> Found:
    for principal in ("*", {"AWS": "*"}, {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, OTHER_SERVICE):
        trust = {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": principal}]}
        change = put(role.name, ("assumeRolePolicy",), json.dumps(trust))
        yield f"{role.name}: trusts {principal}", ONE_FUNCTION, change
        if principal != OTHER_SERVICE:
            yield f"{role.name}: open to {principal}", CLOSED, change


def forbidden() -> Found:
    keys = {"cost-no-customer-managed-key": cost_no_customer_managed_key.KEY_TYPES}
    for rule, types in (cost_forbidden_types.TYPES | keys).items():
        for type_ in types:
            yield f"plus {type_}", rule, add(type_)
