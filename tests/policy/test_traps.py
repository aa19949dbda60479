"""Faults of other people's packs; each case goes through the analyzer's own wrappers."""

import pytest

from pack.resources import (
    FUNCTION,
    ROLE,
    ROLE_POLICY,
)
from tests.policy.changes import policy, unknown_from
from tests.policy.judging import BROAD, LEAST, judge
from tests.policy.worlds import World, recorded


def test_unknown_document_hides_no_later_resource() -> None:
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


def test_first_preview_swapped_table_is_reported_though_every_document_is_unknown() -> None:
    world = recorded(preview=True)
    consumer = world["sales-consumer-policy"]
    own, other = world.urns("sales-projection", "orders-source")
    consumer.refers["policy"] = [other if urn == own else urn for urn in consumer.refers["policy"]]

    judged = judge(world)

    (finding,) = judged.findings
    assert finding.resource == "sales-consumer-function"
    assert "'sales-consumer-policy' refers to 'orders-source' beyond it" in finding.message
    assert "no document of its role refers to the table in PROJECTION_TABLE" in finding.message


def test_known_statement_beside_an_unknown_document_is_judged() -> None:
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


def test_literal_parts_of_a_document_with_unknown_arn_are_judged() -> None:
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


@pytest.mark.parametrize(
    "logging", [None, {"logGroup": "/elsewhere"}], ids=["no settings", "a group from elsewhere"]
)
def test_function_without_log_group_of_the_stack_is_reported(logging: dict[str, str] | None) -> None:
    world = recorded()
    world.add(FUNCTION, "fourth", {"loggingConfig": logging} if logging else {})

    judged = judge(world, "lambda-log-group-explicit")

    assert [finding.resource for finding in judged.findings] == ["fourth"]


@pytest.mark.parametrize("preview", [False, True], ids=["update", "first preview"])
def test_filter_on_a_consumers_queue_is_reported(preview: bool) -> None:
    world = recorded(preview=preview)
    pattern = {"filters": [{"pattern": '{"body": {"type": ["OrderCreated"]}}'}]}
    world["sales-consumer-mapping"].inputs["filterCriteria"] = pattern

    (finding,) = judge(world, "mapping-stream-filter").findings

    assert finding.resource == "sales-consumer-mapping"
    assert "must not filter its queue: messages that the filter leaves out are deleted" in finding.message


def test_filter_on_a_consumers_queue_that_is_not_known_yet_is_checked_on_update() -> None:
    world = recorded()
    unknown_from("sales-consumer-mapping", "filterCriteria")(world)

    judged = judge(world, "mapping-stream-filter")

    assert judged.findings == []
    assert "sales-consumer-mapping.filterCriteria" in judged.pending[0].message
