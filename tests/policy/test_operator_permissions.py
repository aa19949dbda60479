"""The operator's document passes parliament, fits a managed policy, and names this stack's resources alone."""

import json
from functools import cache
from typing import Any

import pytest

from outbox_cli.errors import OperatorError
from outbox_cli.permissions.operator import CHARACTERS_MOST, Place, Planned, characters, operator_document
from outbox_cli.stack.planned import plan_stack
from outbox_local.program import read_stack_config
from tests.policy.independent import PARTITIONS, findings
from tools.repository import PROGRAM_DIRECTORY

REGION = "eu-central-1"
ACCOUNT = "123456789012"


# A longest name of each partition's regions.
REGIONS = {"aws": "ap-southeast-2", "aws-cn": "cn-northwest-1", "aws-us-gov": "us-gov-west-1"}


@cache
def document(stack: str = "dev", partition: str = "aws", region: str = REGION) -> dict[str, Any]:
    place = Place(partition, region, ACCOUNT)
    config = read_stack_config(PROGRAM_DIRECTORY, stack, {"aws:region": REGION})
    planned = plan_stack(config, place)
    return operator_document(place, planned.resources, planned.outputs)


def statement(found: dict[str, Any], sid: str) -> dict[str, Any]:
    [one] = [each for each in found["Statement"] if each["Sid"] == sid]
    return dict(one)


def resources(one: dict[str, Any]) -> list[str]:
    named = one["Resource"]
    return [named] if isinstance(named, str) else list(named)


@pytest.mark.parametrize("stack", ["dev", "prod"])
@pytest.mark.parametrize("partition", PARTITIONS)
def test_document_has_no_finding_and_fits_a_managed_policy(stack: str, partition: str) -> None:
    found = document(stack, partition, REGIONS[partition])

    assert findings(json.dumps(found)) == []
    assert characters(found) <= CHARACTERS_MOST


def test_roles_are_passed_to_lambda_alone_and_each_by_its_name() -> None:
    passed = statement(document(), "PassRolesToLambdaOnly")

    assert passed["Action"] == ["iam:PassRole"]
    assert passed["Condition"] == {"StringEquals": {"iam:PassedToService": "lambda.amazonaws.com"}}
    assert resources(passed) == [
        f"arn:aws:iam::{ACCOUNT}:role/{name}-*"
        for name in ("orders-command-role", "orders-relay-role", "sales-consumer-role")
    ]


def test_redrive_takes_from_the_dead_letters_and_sends_to_the_delivery_queue_alone() -> None:
    found = document()

    assert resources(statement(found, "TakeMessages")) == [
        f"arn:aws:sqs:{REGION}:{ACCOUNT}:sales-dead-letter-queue-*"
    ]
    assert resources(statement(found, "SendEvents")) == [f"arn:aws:sqs:{REGION}:{ACCOUNT}:sales-queue-*"]


def test_messages_of_what_the_relay_gave_up_may_be_taken_where_a_stack_has_them() -> None:
    assert resources(statement(document("prod"), "TakeMessages"))[1:] == [
        f"arn:aws:sqs:{REGION}:{ACCOUNT}:orders-relay-failures-*"
    ]


def test_rows_are_corrected_in_the_source_table_alone_and_no_order_with_them() -> None:
    update = statement(document(), "CorrectRows")

    assert update["Action"] == ["dynamodb:UpdateItem"]
    assert resources(update) == [f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/orders-source-*"]
    assert update["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["OUTBOX#*"]}}


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_no_statement_is_on_everything_without_a_condition_and_no_action_is_a_pattern(stack: str) -> None:
    found = document(stack)

    broad = [each for each in found["Statement"] if "*" in resources(each)]
    assert [each["Sid"] for each in broad if "Condition" not in each] == []
    assert [action for each in found["Statement"] for action in each["Action"] if "*" in action] == []


def test_alarms_are_in_the_document_of_a_stack_that_has_them_alone() -> None:
    in_dev, in_prod = (
        any(
            action == "cloudwatch:PutMetricAlarm"
            for each in document(stack)["Statement"]
            for action in each["Action"]
        )
        for stack in ("dev", "prod")
    )

    assert (in_dev, in_prod) == (False, True)


def test_type_whose_rights_are_not_known_is_named() -> None:
    with pytest.raises(OperatorError, match=r"aws:sns/topic:Topic 'news' takes is not known: add its type"):
        operator_document(Place("aws", REGION, ACCOUNT), [Planned("aws:sns/topic:Topic", "news")], {})


def test_place_is_what_an_arn_of_the_stack_names() -> None:
    assert Place.of("arn:aws-cn:sqs:cn-north-1:123456789012:q") == Place("aws-cn", "cn-north-1", ACCOUNT)
