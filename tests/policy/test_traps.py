"""What other people's packs got wrong; each case goes through the analyzer's own wrappers."""

import json
from typing import Any

import pytest

from pack.resources import (
    CUSTOMER_POLICY,
    EXCLUSIVE_ATTACHMENTS,
    FUNCTION,
    GROUP_STYLE_ATTACHMENT,
    MAPPING,
    ROLE,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
)
from tests.policy.changes import Change, add, policy, set_to, unknown_from
from tests.policy.judging import judge
from tests.policy.worlds import World, recorded

LEAST = "lambda-role-least-privilege"
BROAD = "iam-no-broad-statement"
ROLE_NAME = "orders-command-role-1a2b3c4"
ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"
STREAM_ARN = (
    "arn:aws:dynamodb:us-east-1:123456789012:table/orders-source-1a2b3c4/stream/2026-09-05T12:00:00.000"
)


def test_b3_handwritten_mapping_without_response_type_is_a_violation() -> None:
    world = recorded()
    world.add(MAPPING, "handwritten", {"eventSourceArn": STREAM_ARN, "startingPosition": "TRIM_HORIZON"})

    judged = judge(world, "mapping-failure-reporting")

    assert [finding.resource for finding in judged.findings] == ["handwritten"]


@pytest.mark.parametrize(("hidden", "violations"), [(60.0, 1), (199.0, 1), (200.0, 0)])
def test_c4_visibility_below_six_timeouts_and_window_is_a_violation(hidden: float, violations: int) -> None:
    world = recorded()
    set_to("sales-consumer-function", "timeout", value=30.0)(world)
    set_to("sales-consumer-mapping", "maximumBatchingWindowInSeconds", value=20.0)(world)
    set_to("sales-queue", "visibilityTimeoutSeconds", value=hidden)(world)

    judged = judge(world, "queue-visibility")

    assert len(judged.findings) == violations
    assert all("for 200 s or more" in finding.message for finding in judged.findings)


@pytest.mark.parametrize(
    ("days", "dead_letter_days", "violations"), [(4, 4, 1), (14, 14, 1), (1, 4, 0), (4, 1, 1)]
)
def test_c7_dead_letters_kept_no_longer_than_messages_is_a_violation(
    days: int, dead_letter_days: int, violations: int
) -> None:
    world = recorded()
    set_to("sales-queue", "messageRetentionSeconds", value=days * 86_400.0)(world)
    set_to("sales-dead-letter-queue", "messageRetentionSeconds", value=dead_letter_days * 86_400.0)(world)

    judged = judge(world, "queue-dead-letter")

    assert len(judged.findings) == violations


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov", "aws-eusc"])
@pytest.mark.parametrize("action", ["dynamodb:PutItem", "dynamodb:*"])
def test_f11_other_partitions_are_judged_like_the_first(partition: str, action: str) -> None:
    world = recorded(partition=partition)
    document = json.loads(world["orders-command-policy"].inputs["policy"])
    document["Statement"][0]["Action"] = action
    world["orders-command-policy"].inputs["policy"] = json.dumps(document)

    judged = judge(world)

    assert judged.rules == ([] if action == "dynamodb:PutItem" else [BROAD, LEAST])


def test_f11_managed_policy_of_another_partition_is_a_violation() -> None:
    world = recorded(partition="aws-cn")
    add(ROLE_ATTACHMENT, role=ROLE_NAME, policyArn=ADMINISTRATOR.replace(":aws:", ":aws-cn:", 1))(world)

    judged = judge(world, BROAD)

    assert [finding.resource for finding in judged.findings] == ["added"]


def test_g1_unknown_document_hides_no_later_resource() -> None:
    world = World("dev")
    for name, document in {
        "first": "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "second": policy(Action="*", Resource="arn:aws:sqs:us-east-1:123456789012:queue"),
        "third": policy(Action="sqs:SendMessage", Resource="arn:aws:sqs:us-east-1:123456789012:queue"),
    }.items():
        world.add(ROLE, f"{name}-role", {"name": name})
        world.add(ROLE_POLICY, f"{name}-policy", {"role": name, "policy": document})

    broad, groups = judge(world, BROAD), judge(world, "lambda-log-group-explicit")

    assert [finding.resource for finding in broad.findings] == ["second-policy"]
    assert [finding.resource for finding in groups.findings] == ["second-policy"]
    for judged in (broad, groups):
        assert [report.message for report in judged.pending] == [
            "checked on update, once known: first-policy.policy"
        ]


def test_g1_first_preview_swapped_table_is_reported_though_every_document_is_unknown() -> None:
    world = recorded(preview=True)
    consumer = world["sales-consumer-policy"]
    own, other = world.urns("sales-projection", "orders-source")
    consumer.refers["policy"] = [other if urn == own else urn for urn in consumer.refers["policy"]]

    judged = judge(world)

    (finding,) = judged.findings
    assert finding.resource == "sales-consumer-function"
    assert "'sales-consumer-policy' refers to 'orders-source' beyond it" in finding.message
    assert "no document of its role refers to the table in PROJECTION_TABLE" in finding.message


def test_g1_known_statement_beside_an_unknown_document_is_judged() -> None:
    world = recorded(preview=True)
    extra = world.add(
        ROLE_POLICY, "extra", {"policy": policy(Action="s3:GetObject", Resource="arn:aws:s3:::b/k")}
    )
    extra.inputs["role"] = world["sales-consumer-policy"].inputs["role"]
    extra.refers["role"] = world.urns("sales-consumer-role")

    judged = judge(world, LEAST)

    (finding,) = judged.findings
    assert finding.resource == "sales-consumer-function"
    assert "Broken allows s3:GetObject on a resource outside this stack beyond it" in finding.message


def test_g1_literal_parts_of_a_document_with_unknown_arn_are_judged() -> None:
    world = recorded(preview=True)
    unknown_arn = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    statement = {
        "Sid": "WriteOrderAndOutbox",
        "Effect": "Allow",
        "Action": "dynamodb:*",
        "Resource": unknown_arn,
    }
    world["orders-command-policy"].inputs["policy"] = {"Version": "2012-10-17", "Statement": [statement]}

    judged = judge(world, BROAD, LEAST)

    assert judged.rules == [BROAD, LEAST]
    assert all("WriteOrderAndOutbox" in finding.message for finding in judged.findings)
    assert {report.rule for report in judged.pending} == {BROAD, LEAST}


def test_g2_wrapped_inline_blocks_are_read() -> None:
    world = recorded()
    blocks = [{"name": "all", "policy": policy(Action="sqs:*", Resource=STREAM_ARN)}]
    set_to("orders-command-role", "inlinePolicies", value=blocks)(world)

    judged = judge(world, BROAD)

    (finding,) = judged.findings
    assert "Broken has wildcards in its actions (sqs:*)" in finding.message


@pytest.mark.parametrize(
    "logging", [None, {"logGroup": "/elsewhere"}], ids=["no settings", "a group from elsewhere"]
)
def test_g4_function_without_log_group_of_the_stack_is_reported(logging: dict[str, str] | None) -> None:
    world = recorded()
    world.add(FUNCTION, "fourth", {"loggingConfig": logging} if logging else {})

    judged = judge(world, "lambda-log-group-explicit")

    assert [finding.resource for finding in judged.findings] == ["fourth"]


BROAD_ACTIONS: tuple[Any, ...] = (
    *("DynamoDB:*", "sqs:sendmessage*", "dynamodb:*Item", "dynamodb:?utItem", "*:*", "*"),
    *(["*"], ["sqs:SendMessage", "sqs:*"]),
)
QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012:sales-queue-1a2b3c4"


@pytest.mark.parametrize("action", BROAD_ACTIONS, ids=str)
@pytest.mark.parametrize("single", [True, False], ids=["one statement", "a list"])
@pytest.mark.parametrize("shape", ["text", "object", "escaped", "text in text"])
def test_g5_broad_action_in_any_shape_is_reported_once_with_its_statement(
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


def test_g5_plain_text_action_is_not_walked_letter_by_letter() -> None:
    world = recorded()
    document = json.loads(world["orders-command-policy"].inputs["policy"])
    document["Statement"][0]["Action"] = "DYNAMODB:putitem"
    world["orders-command-policy"].inputs["policy"] = json.dumps(document)

    judged = judge(world)

    assert judged.findings == []


@pytest.mark.parametrize(
    "document", ["{", "", None, "[]", '{"Statement": []}', '{"Statement": "all"}'], ids=str
)
def test_g5_invalid_or_absent_document_is_a_violation_that_names_the_function(document: str | None) -> None:
    world = recorded()
    set_to("orders-command-policy", "policy", value=document)(world)

    judged = judge(world, BROAD, LEAST)

    assert judged.rules == [BROAD, LEAST]
    assert all("cannot be read" in finding.message for finding in judged.findings)
    assert "'orders-command-function'" in judged.findings[1].message


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
def test_g7_list_streams_is_clean_alone_on_everything_in_one_region_only(
    elements: dict[str, Any], says: str
) -> None:
    world = recorded()
    world.add(ROLE_POLICY, "added", {"role": ROLE_NAME, "policy": policy(**{"Resource": "*"} | elements)})

    judged = judge(world, BROAD)

    (finding,) = judged.findings
    assert finding.resource == "added"
    assert says in finding.message


EVERYTHING = policy(Action="*", Resource="*")
ROUTES: dict[str, tuple[Change, ...]] = {
    "inline block": (
        set_to("orders-command-role", "inlinePolicies", value=[{"name": "a", "policy": EVERYTHING}]),
    ),
    "managed ARN": (set_to("orders-command-role", "managedPolicyArns", value=[ADMINISTRATOR]),),
    "role policy": (add(ROLE_POLICY, role=ROLE_NAME, policy=EVERYTHING),),
    "attachment": (add(ROLE_ATTACHMENT, role=ROLE_NAME, policyArn=ADMINISTRATOR),),
    "exclusive attachment": (add(EXCLUSIVE_ATTACHMENTS, roleName=ROLE_NAME, policyArns=[ADMINISTRATOR]),),
    "group-style attachment": (add(GROUP_STYLE_ATTACHMENT, roles=[ROLE_NAME], policyArn=ADMINISTRATOR),),
    "customer-managed policy": (
        add(
            CUSTOMER_POLICY,
            "everything",
            arn="arn:aws:iam::123456789012:policy/everything",
            policy=EVERYTHING,
        ),
        add(ROLE_ATTACHMENT, role=ROLE_NAME, policyArn="arn:aws:iam::123456789012:policy/everything"),
    ),
}


@pytest.mark.parametrize("route", ROUTES)
def test_g8_administrator_access_by_any_route_is_reported(route: str) -> None:
    world = recorded()
    for change in ROUTES[route]:
        change(world)

    judged = judge(world, BROAD)

    assert len(judged.findings) == 1


@pytest.mark.parametrize("route", ["inline block", "role policy", "customer-managed policy"])
def test_g8_rights_beyond_the_contract_by_any_route_are_the_functions(route: str) -> None:
    world = recorded()
    for change in ROUTES[route]:
        change(world)

    judged = judge(world, LEAST)

    (finding,) = judged.findings
    assert finding.resource == "orders-command-function"
    assert "Broken allows * on a wildcard beyond it" in finding.message


@pytest.mark.parametrize("preview", [True, False])
def test_g8_shared_role_is_reported_with_both_functions(preview: bool) -> None:
    world = recorded(preview=preview)
    relay, consumer = world["orders-relay-function"], world["sales-consumer-function"]
    consumer.inputs["role"], consumer.refers["role"] = relay.inputs["role"], relay.refers["role"]

    judged = judge(world, "iam-role-one-function")

    (finding,) = judged.findings
    assert "'orders-relay-function'" in finding.message
    assert "'sales-consumer-function'" in finding.message


@pytest.mark.parametrize("named_by", ["name", "arn"])
def test_g8_role_is_the_same_by_name_and_by_arn(named_by: str) -> None:
    world = recorded()
    role = world["orders-relay-role"].computed[named_by]
    set_to("sales-consumer-function", "role", value=role)(world)

    judged = judge(world, "iam-role-one-function")

    assert [finding.resource for finding in judged.findings] == ["orders-relay-role"]


def test_g8_attachment_of_a_policy_not_known_yet_is_followed_to_its_document() -> None:
    world = recorded(preview=True)
    world.add(CUSTOMER_POLICY, "everything", {"policy": EVERYTHING})
    attachment = world.add(ROLE_ATTACHMENT, "added", {})
    unknown_from("added", "role")(world)
    unknown_from("added", "policyArn")(world)
    attachment.refers = {"role": world.urns("orders-command-role"), "policyArn": world.urns("everything")}

    judged = judge(world, LEAST, "iam-attached-policy-in-stack")

    (finding,) = judged.findings
    assert finding.resource == "orders-command-function"
