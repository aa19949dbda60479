"""Policy documents, declared grants and references, each changed for the worse."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from pack.resources import LOG_GROUP, QUEUE, ROLE, ROLE_POLICY, TABLE
from tests.policy.changes import Change, declare, edit_statement, put, refer, remove, set_to
from tests.policy.judging import BROAD, LEAST
from tests.policy.worlds import ACCOUNT, World

COMPONENT = "outbox:index:LambdaFunction"

Found = Iterator[tuple[str, str, Change]]
"""Title, the rule that owns it, and the change."""


def documents(world: World) -> Found:
    arns = sorted({made.computed["arn"] for made in world if "arn" in made.computed})
    for policy in world.of(ROLE_POLICY):
        document = json.loads(policy.inputs["policy"])
        for number, statement in enumerate(document["Statement"]):
            where = f"{policy.name}/{statement['Sid']}"

            def change(
                title: str, rule: str, number: int = number, **elements: Any
            ) -> tuple[str, str, Change]:
                return f"{where} {title}", rule, edit_statement(policy.name, number, elements)  # noqa: B023 - used at once

            yield from _actions(change, statement["Action"])
            if (resource := statement["Resource"]) != "*":
                yield change("on everything", BROAD, Resource="*")
                yield change("on everything, too", BROAD, Resource=[resource, "*"])
                (own,) = resource if isinstance(resource, list) else [resource]
                account = ":".join(own.split(":")[:5])
                yield change("on all of the account's", BROAD, Resource=f"{account}:*")
                yield change("on a partial wildcard", BROAD, Resource=own.removesuffix(":*")[:-2] + "*")
                yield change("in any region", BROAD, Resource=own.replace("us-east-1", "*"))
                yield change("in any account", BROAD, Resource=own.replace(ACCOUNT, "*"))
                yield change("in another account", LEAST, Resource=own.replace(ACCOUNT, "999999999999"))
                for other in arns:
                    if other not in (own, own.removesuffix(":*")):
                        yield change(f"swapped to {other}", LEAST, Resource=other)
                        yield change(f"widened to {other}", LEAST, Resource=[own, other])
            yield change("denied", LEAST, Effect="Deny")
            yield change("under a condition", LEAST, Condition={"Bool": {"aws:SecureTransport": "true"}})
            yield change("with NotAction", BROAD, Action=None, NotAction="iam:*")
            yield change("with NotResource", BROAD, Resource=None, NotResource="arn:aws:s3:::bucket")
            if "Condition" in statement:
                yield change("without its condition", BROAD, Condition=None)
                other_region = {"StringEquals": {"aws:RequestedRegion": "eu-central-1"}}
                yield change("in another region", LEAST, Condition=other_region)
                any_region = {"StringLike": {"aws:RequestedRegion": "*"}}
                yield change("in regions like *", BROAD, Condition=any_region)
            yield f"{where} dropped", LEAST, edit_statement(policy.name, number, None)
        for action, rule in {
            "*": BROAD,
            "s3:GetObject": LEAST,
            "iam:PassRole": LEAST,
            "dynamodb:Scan": LEAST,
            "logs:CreateLogGroup": "lambda-log-group-explicit",
        }.items():
            added = {"Effect": "Allow", "Action": action, "Resource": "*" if rule == BROAD else arns[0]}
            last = len(document["Statement"])
            yield f"{policy.name} plus {action}", rule, edit_statement(policy.name, last, added)
        for title, text in {"no JSON": "{", "empty": "", "a list": "[]", "no statements": "{}"}.items():
            yield f"{policy.name} is {title}", BROAD, put(policy.name, ("policy",), text)
        for role in world.of(ROLE):
            if (name := role.computed["name"]) != policy.inputs["role"]:
                yield f"{policy.name} given to {role.name}", LEAST, put(policy.name, ("role",), name)
        yield f"{policy.name} removed", LEAST, remove(policy.name)


def _actions(change: Callable[..., tuple[str, str, Change]], actions: list[str]) -> Found:
    for action in actions:
        rest = [other for other in actions if other != action]
        service, name = action.split(":")
        case = f"{service.upper()}:{name.lower()}*"
        for wide in ("*", "*:*", f"{service}:*", case, f"{service}:?{name[1:]}"):
            yield change(f"{action} widened to {wide}", BROAD, Action=[*rest, wide])
        describe = f"{service}:Describe{name}"
        for other in ("dynamodb:DeleteItem", "sqs:PurgeQueue", "dynamodb:GetItem", describe):
            yield change(f"{action} swapped for {other}", LEAST, Action=[*rest, other])
            yield change(f"{other} added beside {action}", LEAST, Action=[*actions, other])
        if rest:
            yield change(f"{action} dropped", LEAST, Action=rest)


def grants(world: World) -> Found:
    """Grants that a component declares, which is all that is known of a document at a first preview."""
    for component in world.of(COMPONENT):
        key = f"{COMPONENT}/{component.name}"
        for sid, actions in component.inputs["grants"].items():
            for action in actions:
                rest = [other for other in actions if other != action]
                service = action.split(":")[0]
                for other in (f"{service}:*", "*", "iam:PassRole"):
                    change = declare(component.name, sid, [*rest, other])
                    yield f"{component.name}/{sid}: {other} for {action}", LEAST, change
                yield f"{component.name}/{sid} without {action}", LEAST, declare(component.name, sid, rest)
            yield f"{component.name}/{sid} dropped", LEAST, declare(component.name, sid, None)
        yield f"{component.name} plus a statement", LEAST, declare(component.name, "More", ["s3:GetObject"])
        yield f"{component.name} for another purpose", LEAST, set_to(key, "purpose", value="nobody-knows")


def references(world: World) -> Found:
    """Resources that unknown documents are made from."""
    others = [*world.of(TABLE), *world.of(QUEUE), *world.of(LOG_GROUP)]
    for policy in world.of(ROLE_POLICY):
        urns = policy.refers["policy"]
        for other in others:
            if other.urn in urns:
                rest = [urn for urn in urns if urn != other.urn]
                yield f"{policy.name} without {other.name}", LEAST, refer(policy.name, "policy", rest)
            else:
                title = f"{policy.name} with {other.name}"
                yield title, LEAST, refer(policy.name, "policy", [*urns, other.urn])
                for urn in urns:
                    swapped = [*(found for found in urns if found != urn), other.urn]
                    yield f"{title} for {urn}", LEAST, refer(policy.name, "policy", swapped)
