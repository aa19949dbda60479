"""Rules by the clock, and the reconciler that one of them starts, on the local AWS."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import orders
from outbox.items import outbox_row
from outbox.rows import RowOptions
from outbox.wire import to_wire
from outbox_cli.reconcile.search import reconcile
from outbox_cli.stack.deployed import Stack
from outbox_local.clients import Clients
from outbox_local.deployer import Deployment
from outbox_local.resources import resource_type
from outbox_local.schedules import Schedules, scheduled_event
from tests.outbox_local.conftest import REGION
from tools.simulation.clock import VirtualClock

NOW = 1_800_000_000.0
MINUTE_SECONDS = 60
RULE = "aws:cloudwatch/eventRule:EventRule"
TARGET = "aws:cloudwatch/eventTarget:EventTarget"
PERMISSION = "aws:lambda/permission:Permission"
TABLE = "aws:dynamodb/table:Table"


@pytest.fixture
def stack(clients: Clients, dev_deployment: Deployment) -> Iterator[Stack]:
    """The stack, with nothing stored in it and nothing sent."""
    stack = Stack("dev", dev_deployment.outputs, clients)
    yield stack
    dynamodb = clients("dynamodb")
    for name in (stack["source_table_name"], stack["projection_table_name"]):
        for item in dynamodb.scan(TableName=name)["Items"]:
            dynamodb.delete_item(TableName=name, Key={"PK": item["PK"], "SK": item["SK"]})
    clients("sqs").purge_queue(QueueUrl=stack["queue_url"])


def schedules_of(clients: Clients, clock: VirtualClock, *, speed: float = 1.0) -> Schedules:
    return Schedules(clients.of_roles(), clock=clock, speed=speed)


def function_arn(name: str) -> str:
    return f"arn:aws:lambda:{REGION}:000000000000:function:{name}"


def lose(stack: Stack, order_id: str, stored_at: float) -> None:
    """A stored event that no relay will ever send."""
    event = RowOptions(is_indexed=True).on(orders.event_of(orders.Order(order_id, 700)), stored_at)
    row = {**outbox_row(event.event_id, event.body), **event.extras}
    stack.clients("dynamodb").put_item(TableName=stack["source_table_name"], Item=to_wire(row))


def waiting(stack: Stack) -> list[str]:
    answer = stack.clients("sqs").receive_message(
        QueueUrl=stack["queue_url"], MaxNumberOfMessages=10, VisibilityTimeout=0, WaitTimeSeconds=0
    )
    return [each["Body"] for each in answer.get("Messages", [])]


def run_at(stack: Stack, now: float) -> Any:
    """The reconciler's answer to its schedule at a time, under its own role."""
    answer = stack.clients("lambda").invoke(
        FunctionName=stack["reconciler_function_name"],
        Payload=json.dumps(scheduled_event("arn:aws:events:r:1:rule/x", now)).encode(),
    )
    return json.load(answer["Payload"])


def test_reconciler_on_its_schedule_resends_a_lost_event_by_its_own_rights(
    clients: Clients, stack: Stack
) -> None:
    clock = VirtualClock(NOW)
    schedules = schedules_of(clients, clock)
    lose(stack, "lost-1", NOW - 14 * MINUTE_SECONDS)

    before = schedules.step()
    clock.wait(5 * MINUTE_SECONDS)
    started = schedules.step()

    assert before == []
    assert [arn.rsplit(":", 1)[1] for arn in started] == [stack["reconciler_function_name"]]
    assert waiting(stack) == [orders.event_of(orders.Order("lost-1", 700)).body]


def test_reconciler_repeats_what_stays_lost_at_each_doubling_of_its_age(stack: Stack) -> None:
    lose(stack, "lost-1", NOW)

    at_and_beside_each = (15, 20, 25, 30, 35, 40, 60, 65, 70)
    resent = [
        minutes for minutes in at_and_beside_each if run_at(stack, NOW + minutes * MINUTE_SECONDS)["healed"]
    ]

    assert resent == [20, 35, 65]


def test_index_finds_what_a_command_stored_and_the_verb_reads_nothing_else(stack: Stack) -> None:
    lose(stack, "old", NOW - 3 * 24 * 60 * MINUTE_SECONDS)
    lose(stack, "new", NOW - 60 * MINUTE_SECONDS)

    found = reconcile(stack, since=NOW - 24 * 60 * MINUTE_SECONDS, now=lambda: NOW, margin_seconds=900)

    assert (found.rows, list(found.lost.reasons)) == (1, ["order-created:new"])


def test_command_of_a_stack_with_the_index_gives_its_rows_the_keys(stack: Stack) -> None:
    stack.clients("lambda").invoke(
        FunctionName=stack["command_function_name"],
        Payload=json.dumps({"order_id": "a", "amount_cents": 1}).encode(),
    )

    key = {"PK": {"S": "OUTBOX#order-created:a"}, "SK": {"S": "EVENT"}}
    row = stack.clients("dynamodb").get_item(TableName=stack["source_table_name"], Key=key)["Item"]
    assert row.keys() == {"PK", "SK", "kind", "event_id", "body", "index_shard", "stored_minute"}


@pytest.fixture
def rule(clients: Clients, fresh_name: Callable[[str], str]) -> Iterator[dict[str, Any]]:
    """A rule with a target that is no function."""
    made = resource_type(RULE).create(clients, fresh_name("rule"), {"scheduleExpression": "rate(1 hour)"})
    yield made.outputs
    resource_type(RULE).delete(clients, made.id)


@pytest.mark.parametrize(("speed", "minutes"), [(1.0, 60), (60.0, 1)])
def test_schedules_speed_divides_the_interval(
    clients: Clients, rule: dict[str, Any], speed: float, minutes: int
) -> None:
    clock = VirtualClock(NOW)
    schedules = schedules_of(clients, clock, speed=speed)
    target = {"rule": rule["name"], "arn": function_arn("nobody")}
    made = resource_type(TARGET).create(clients, "target", target)

    is_started = []
    for seconds in (0, minutes * MINUTE_SECONDS - 1, 1, 0):
        clock.wait(seconds)
        is_started.append(target["arn"] in schedules.step())

    assert is_started == [False, False, True, False]
    resource_type(TARGET).delete(clients, made.id)


def test_schedules_leave_a_disabled_rule_alone(clients: Clients, rule: dict[str, Any]) -> None:
    clock = VirtualClock(NOW)
    schedules = schedules_of(clients, clock)
    target = {"rule": rule["name"], "arn": function_arn("nobody")}
    made = resource_type(TARGET).create(clients, "target", target)
    schedules.step()
    resource_type(RULE).update(clients, rule["name"], rule, {**rule, "state": "DISABLED"})

    clock.wait(60 * MINUTE_SECONDS)
    started = schedules.step()

    assert target["arn"] not in started
    resource_type(TARGET).delete(clients, made.id)


def test_function_without_a_permission_for_the_rule_is_not_invoked(
    clients: Clients, stack: Stack, rule: dict[str, Any]
) -> None:
    clock = VirtualClock(NOW)
    schedules = schedules_of(clients, clock, speed=60)
    target = {"rule": rule["name"], "arn": function_arn(stack["reconciler_function_name"])}
    resource_type(RULE).update(clients, rule["name"], rule, {"scheduleExpression": "rate(1 minute)"})
    made = resource_type(TARGET).create(clients, "target", target)
    lose(stack, "lost-1", NOW - 19 * MINUTE_SECONDS)

    schedules.step()
    clock.wait(1)
    started = schedules.step()

    assert started == [target["arn"]]
    assert waiting(stack) == []
    resource_type(TARGET).delete(clients, made.id)


def test_permission_that_is_gone_is_read_as_gone(clients: Clients, stack: Stack) -> None:
    kind = resource_type(PERMISSION)
    inputs = {
        "action": "lambda:InvokeFunction",
        "function": stack["reconciler_function_name"],
        "principal": "events.amazonaws.com",
        "sourceArn": f"arn:aws:events:{REGION}:000000000000:rule/other",
    }
    made = kind.create(clients, "other", inputs)

    there = kind.read(clients, made.id, inputs)
    kind.delete(clients, made.id)
    kind.delete(clients, made.id)

    assert there is not None
    assert kind.read(clients, made.id, inputs) is None


def test_table_gets_and_loses_index_and_expiry_in_place(
    clients: Clients, fresh_name: Callable[[str], str]
) -> None:
    kind = resource_type(TABLE)
    plain = {
        "hashKey": "PK",
        "rangeKey": "SK",
        "billingMode": "PAY_PER_REQUEST",
        "attributes": [{"name": name, "type": "S"} for name in ("PK", "SK")],
    }
    indexed = plain | {
        "attributes": [{"name": name, "type": "S"} for name in ("PK", "SK", "a", "b")],
        "globalSecondaryIndexes": [
            {"name": "by-a", "hashKey": "a", "rangeKey": "b", "projectionType": "KEYS_ONLY"}
        ],
        "ttl": {"attributeName": "expires_at", "enabled": True},
    }
    dynamodb = clients("dynamodb")
    made = kind.create(clients, fresh_name("table"), plain)

    def seen() -> tuple[list[str], str]:
        table = dynamodb.describe_table(TableName=made.id)["Table"]
        expiry = dynamodb.describe_time_to_live(TableName=made.id)["TimeToLiveDescription"]
        names = [each["IndexName"] for each in table.get("GlobalSecondaryIndexes") or []]
        return names, expiry["TimeToLiveStatus"]

    states = [seen()]
    for old, new in ((plain, indexed), (indexed, plain)):
        kind.update(clients, made.id, old, new)
        states.append(seen())

    assert states == [([], "DISABLED"), (["by-a"], "ENABLED"), ([], "DISABLED")]
    kind.delete(clients, made.id)
