"""Rights by other routes, roles that are shared, doors for strangers, resources that must not exist."""

import json

from pack.resources import FUNCTION, QUEUE, ROLE, ROLE_POLICY
from rules import cost_forbidden_types, cost_no_customer_managed_key
from tests.policy.changes import add, put
from tests.policy.judging import BROAD, LEAST
from tests.policy.mutated_documents import Found
from tests.policy.worlds import ACCOUNT, World

ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"
EVERYTHING = {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}


def routes(world: World) -> Found:
    """Six ways to give a role administrator access, shared roles, and doors for others."""
    for role in world.of(ROLE):
        name = role.computed["name"]
        attach = {"policyArn": ADMINISTRATOR}
        for title, type_, inputs in (
            ("role policy", ROLE_POLICY, {"role": name, "policy": json.dumps(EVERYTHING)}),
            ("attachment", "aws:iam/rolePolicyAttachment:RolePolicyAttachment", {"role": name, **attach}),
            (
                "group-style attachment",
                "aws:iam/policyAttachment:PolicyAttachment",
                {"roles": [name], **attach},
            ),
            (
                "exclusive attachment",
                "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
                {"roleName": name, "policyArns": [ADMINISTRATOR]},
            ),
            ("customer-managed policy", "aws:iam/policy:Policy", {"policy": json.dumps(EVERYTHING)}),
        ):
            yield f"{role.name}: administrator by {title}", BROAD, add(type_, **inputs)
        inline = [{"name": "all", "policy": json.dumps(EVERYTHING)}]
        yield (
            f"{role.name}: administrator by inline block",
            BROAD,
            put(role.name, ("inlinePolicies",), inline),
        )
        managed = [ADMINISTRATOR]
        yield f"{role.name}: administrator by ARN", BROAD, put(role.name, ("managedPolicyArns",), managed)
        yield (
            f"{role.name}: two styles",
            "iam-role-one-style",
            put(role.name, ("managedPolicyArns",), managed),
        )
        foreign = {"role": name, "policyArn": f"arn:aws:iam::{ACCOUNT}:policy/from-elsewhere"}
        attachment = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
        yield (
            f"{role.name}: a policy from elsewhere",
            "iam-attached-policy-in-stack",
            add(attachment, **foreign),
        )
        for principal in (
            "*",
            {"AWS": "*"},
            {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
            {"Service": "ec2.amazonaws.com"},
        ):
            trust = {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": principal}]}
            change = put(role.name, ("assumeRolePolicy",), json.dumps(trust))
            yield f"{role.name}: trusts {principal}", "iam-role-one-function", change
            if principal != {"Service": "ec2.amazonaws.com"}:
                yield f"{role.name}: open to {principal}", "iam-resource-policy-closed", change
        for function in world.of(FUNCTION):
            if function.inputs["role"] != role.computed["arn"]:
                change = put(function.name, ("role",), role.computed["arn"])
                yield f"{function.name} under {role.name}", "iam-role-one-function", change
                yield f"{function.name} with the rights of {role.name}", LEAST, change
    for queue in world.of(QUEUE):
        for principal in ("*", {"AWS": "*"}, {"AWS": "999999999999"}, {"Service": "sns.amazonaws.com"}):
            statement = {
                "Effect": "Allow",
                "Action": "sqs:SendMessage",
                "Principal": principal,
                "Resource": "*",
            }
            policy = json.dumps({"Statement": [statement]})
            inputs = {"queueUrl": queue.computed["url"], "policy": policy}
            closed = "iam-resource-policy-closed"
            yield (
                f"{queue.name} open to {principal}",
                closed,
                add("aws:sqs/queuePolicy:QueuePolicy", **inputs),
            )
            yield f"{queue.name} itself open to {principal}", closed, put(queue.name, ("policy",), policy)
    for function in world.of(FUNCTION):
        for principal in ("*", "999999999999", "s3.amazonaws.com"):
            inputs = {
                "function": function.computed["name"],
                "action": "lambda:InvokeFunction",
                "principal": principal,
            }
            change = add("aws:lambda/permission:Permission", **inputs)
            yield f"{function.name} open to {principal}", "iam-resource-policy-closed", change


def forbidden() -> Found:
    keys = {"cost-no-customer-managed-key": cost_no_customer_managed_key.KEY_TYPES}
    for rule, types in (cost_forbidden_types.TYPES | keys).items():
        for type_ in types:
            yield f"plus {type_}", rule, add(type_)
