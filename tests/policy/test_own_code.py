"""Rights of users' own code: the pack accepts exactly those that its configuration adds to a function's contract."""

import json
from typing import Any

import pytest

from tests.policy.judging import BROAD, LEAST, judge
from tests.policy.worlds import World, function_component, recorded
from tests.unit.root_program import ROOT

FUNCTION_NAME = "sales-consumer-function"
WRITE = {"sid": "WriteReceipts", "actions": ["dynamodb:PutItem"]}
ANNOUNCE = {
    "sid": "Announce",
    "actions": ["sns:Publish"],
    "place": "arn",
    "resources": ["arn:aws:sns:us-east-1:123456789012:sales"],
}
BY_VARIABLE = WRITE | {"place": "table", "variables": ["RECEIPTS_TABLE"]}
BY_NAME = WRITE | {"place": "resource", "resources": ["receipts"]}


def world(*, preview: bool = False) -> World:
    return recorded(directory=ROOT / "tests" / "policy" / "programs" / "own_code", preview=preview)


def additions(*rights: dict[str, Any]) -> dict[str, Any]:
    return {"additions": {FUNCTION_NAME: list(rights)}}


def said(world: World, *rights: dict[str, Any]) -> list[str]:
    return [found.message for found in judge(world, LEAST, config=additions(*rights)).findings]


@pytest.mark.parametrize("preview", [False, True], ids=["update", "first preview"])
@pytest.mark.parametrize("write", [BY_VARIABLE, BY_NAME], ids=["variable", "name"])
def test_own_rights_that_the_configuration_adds_are_clean(write: dict[str, Any], preview: bool) -> None:
    found = judge(world(preview=preview), LEAST, config=additions(write, ANNOUNCE))

    assert found.findings == []
    assert bool(found.pending) is preview


@pytest.mark.parametrize("preview", [False, True], ids=["update", "first preview"])
def test_own_rights_that_nothing_adds_are_reported(preview: bool) -> None:
    (finding,) = said(world(preview=preview))

    assert "WriteReceipts declares dynamodb:PutItem beyond it" in finding
    assert "Announce declares sns:Publish beyond it" in finding
    assert "`additions`" in finding


def test_added_right_that_the_function_lacks_is_reported() -> None:
    (finding,) = said(world(), BY_NAME | {"actions": ["dynamodb:PutItem", "dynamodb:GetItem"]}, ANNOUNCE)

    assert "WriteReceipts does not declare dynamodb:GetItem" in finding
    assert "WriteReceipts lacks dynamodb:GetItem on 'receipts'" in finding


def test_one_right_more_is_reported_on_update_and_at_a_first_preview() -> None:
    changed, first = world(), world(preview=True)
    grants = first[function_component("sales-consumer")].computed["grants"]
    grants["WriteReceipts"] = [*grants["WriteReceipts"], "dynamodb:DeleteItem"]
    policy = changed["sales-consumer-policy"].inputs
    document = json.loads(policy["policy"])
    (statement,) = [each for each in document["Statement"] if each["Sid"] == "WriteReceipts"]
    statement["Action"].append("dynamodb:DeleteItem")
    policy["policy"] = json.dumps(document)

    findings = [said(each, BY_NAME, ANNOUNCE) for each in (changed, first)]

    assert "WriteReceipts allows dynamodb:DeleteItem on 'receipts' beyond it" in findings[0][0]
    assert "WriteReceipts declares dynamodb:DeleteItem beyond it" in findings[1][0]


def test_added_arn_is_taken_to_the_letter() -> None:
    other = ANNOUNCE | {"resources": ["arn:aws:sns:us-east-1:123456789012:other"]}

    (finding,) = said(world(), BY_NAME, other)

    assert "Announce allows sns:Publish on a resource outside this stack beyond it" in finding
    assert "Announce lacks sns:Publish on 'arn:aws:sns:us-east-1:123456789012:other'" in finding


def test_added_resource_that_the_stack_lacks_is_named() -> None:
    (finding,) = said(world(), BY_NAME | {"resources": ["invoices"]}, ANNOUNCE)

    assert "its contract builds on the resource invoices in its stack, which it lacks" in finding


def test_pack_finds_nothing_else_in_the_program() -> None:
    rules = judge(world(), config=None).rules

    assert rules == [LEAST]


def test_tracing_is_clean_where_the_configuration_adds_and_allows_it() -> None:
    traced = recorded()
    actions = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
    traced[function_component("sales-consumer")].computed["grants"]["WriteTraces"] = actions
    policy = traced["sales-consumer-policy"].inputs
    document = json.loads(policy["policy"])
    statement = {"Sid": "WriteTraces", "Effect": "Allow", "Action": actions, "Resource": "*"}
    policy["policy"] = json.dumps({**document, "Statement": [*document["Statement"], statement]})
    added = {"sid": "WriteTraces", "actions": actions, "place": "arn", "resources": ["*"]}
    unscoped = {"unscopedActions": ["dynamodb:ListStreams", *actions], "regionCondition": False}

    assert said(traced, added) == []
    assert judge(traced, BROAD, config=unscoped).findings == []
    assert [judge(traced, LEAST).rules, judge(traced, BROAD).rules] == [[LEAST], [BROAD]]
