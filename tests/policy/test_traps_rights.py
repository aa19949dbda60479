"""Rights by every route and in every shape, as other people's packs miss them."""

import json
from typing import Any

import pytest

from pack.resources import (
    CUSTOMER_POLICY,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
)
from tests.policy.changes import Change, add, policy, set_to, unknown_from
from tests.policy.judging import BROAD, LEAST, judge
from tests.policy.worlds import STREAM_ARN, recorded

ROLE_NAME = "orders-command-role-1a2b3c4"


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov", "aws-eusc"])
@pytest.mark.parametrize("action", ["dynamodb:PutItem", "dynamodb:*"])
def test_other_partitions_are_judged_like_the_first(partition: str, action: str) -> None:
    world = recorded(partition=partition)
    document = json.loads(world["orders-command-policy"].inputs["policy"])
    document["Statement"][0]["Action"] = action
    world["orders-command-policy"].inputs["policy"] = json.dumps(document)

    judged = judge(world)

    assert judged.rules == ([] if action == "dynamodb:PutItem" else [BROAD, LEAST])


BROAD_ACTIONS: tuple[Any, ...] = (
    *("DynamoDB:*", "sqs:sendmessage*", "dynamodb:*Item", "dynamodb:?utItem", "*:*", "*"),
    *(["*"], ["sqs:SendMessage", "sqs:*"]),
)


QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012:sales-queue-1a2b3c4"


@pytest.mark.parametrize("action", BROAD_ACTIONS, ids=str)
@pytest.mark.parametrize("single", [True, False], ids=["one statement", "a list"])
@pytest.mark.parametrize("shape", ["text", "object", "escaped", "text in text"])
def test_broad_action_in_any_shape_is_reported_once_with_its_statement(
    action: Any, single: bool, shape: str
) -> None:
    statement = {"Sid": "Wide", "Effect": "Allow", "Action": action, "Resource": QUEUE_ARN}
    document = {"Version": "2012-10-17", "Statement": statement if single else [statement]}
    text = json.dumps(document)
    shapes = {
        "text": text,
        "object": document,
        "escaped": text.replace("*", "\\u002a").replace("?", "\\u003f"),
        "text in text": json.dumps(text),
    }
    world = recorded()
    world.add(ROLE_POLICY, "added", {"role": ROLE_NAME, "policy": shapes[shape]})

    judged = judge(world, BROAD, LEAST)

    assert judged.rules == [BROAD, LEAST]
    assert all("Wide" in finding.message for finding in judged.findings)


def test_plain_text_action_is_not_walked_letter_by_letter() -> None:
    world = recorded()
    document = json.loads(world["orders-command-policy"].inputs["policy"])
    document["Statement"][0]["Action"] = "DYNAMODB:putitem"
    world["orders-command-policy"].inputs["policy"] = json.dumps(document)

    judged = judge(world)

    assert judged.findings == []


REGION = {"StringEquals": {"aws:RequestedRegion": "us-east-1"}}


@pytest.mark.parametrize(
    ("elements", "says"),
    [
        (
            {"Action": ["dynamodb:ListStreams", "dynamodb:GetRecords"], "Condition": REGION},
            "has a wildcard resource",
        ),
        ({"Action": "dynamodb:ListStreams"}, "without a StringEquals condition on aws:RequestedRegion"),
        (
            {"Action": "dynamodb:ListStreams", "Resource": STREAM_ARN, "Condition": REGION},
            "IAM knows on * only: it has no effect",
        ),
        (
            {"Action": "dynamodb:ListStreams", "Condition": {"StringLike": {"aws:RequestedRegion": "*"}}},
            "without a",
        ),
    ],
)
def test_list_streams_is_clean_alone_on_everything_in_one_region_only(
    elements: dict[str, Any], says: str
) -> None:
    world = recorded()
    world.add(ROLE_POLICY, "added", {"role": ROLE_NAME, "policy": policy(**{"Resource": "*"} | elements)})

    judged = judge(world, BROAD)

    (finding,) = judged.findings
    assert finding.resource == "added"
    assert says in finding.message


EVERYTHING = policy(Action="*", Resource="*")
CUSTOMER_ARN = "arn:aws:iam::123456789012:policy/everything"
ROUTES: dict[str, tuple[Change, ...]] = {
    "inline block": (
        set_to("orders-command-role", "inlinePolicies", value=[{"name": "a", "policy": EVERYTHING}]),
    ),
    "role policy": (add(ROLE_POLICY, role=ROLE_NAME, policy=EVERYTHING),),
    "customer-managed policy": (
        add(CUSTOMER_POLICY, "everything", arn=CUSTOMER_ARN, policy=EVERYTHING),
        add(ROLE_ATTACHMENT, role=ROLE_NAME, policyArn=CUSTOMER_ARN),
    ),
}


@pytest.mark.parametrize("route", ROUTES)
def test_rights_beyond_the_contract_by_any_route_are_the_functions(route: str) -> None:
    world = recorded()
    for change in ROUTES[route]:
        change(world)

    judged = judge(world, LEAST)

    (finding,) = judged.findings
    assert finding.resource == "orders-command-function"
    assert "Broken allows * on a wildcard beyond it" in finding.message


@pytest.mark.parametrize("preview", [True, False])
def test_shared_role_is_reported_with_both_functions(preview: bool) -> None:
    world = recorded(preview=preview)
    relay, consumer = world["orders-relay-function"], world["sales-consumer-function"]
    consumer.inputs["role"], consumer.refers["role"] = relay.inputs["role"], relay.refers["role"]

    judged = judge(world, "iam-role-one-function")

    (finding,) = judged.findings
    assert "'orders-relay-function'" in finding.message
    assert "'sales-consumer-function'" in finding.message


def test_attachment_of_a_policy_not_known_yet_is_followed_to_its_document() -> None:
    world = recorded(preview=True)
    world.add(CUSTOMER_POLICY, "everything", {"policy": EVERYTHING})
    attachment = world.add(ROLE_ATTACHMENT, "added", {})
    unknown_from("added", "role")(world)
    unknown_from("added", "policyArn")(world)
    attachment.refers = {"role": world.urns("orders-command-role"), "policyArn": world.urns("everything")}

    judged = judge(world, LEAST, "iam-attached-policy-in-stack")

    (finding,) = judged.findings
    assert finding.resource == "orders-command-function"
