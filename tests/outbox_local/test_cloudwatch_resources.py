"""Alarms and dashboards in the emulator: made, read, changed in place, removed, and gone."""

from collections.abc import Callable
from typing import Any

import pytest

from outbox_local.clients import Clients
from outbox_local.resources import resource_type

Name = Callable[[str], str]
ALARM: dict[str, Any] = {
    "namespace": "AWS/SQS",
    "metricName": "ApproximateNumberOfMessagesVisible",
    "dimensions": {"QueueName": "dead"},
    "statistic": "Maximum",
    "comparisonOperator": "GreaterThanOrEqualToThreshold",
    "threshold": 1.0,
    "period": 60.0,  # as the engine hands numbers over
    "evaluationPeriods": 1.0,
    "treatMissingData": "ignore",
    "alarmDescription": "Look at docs/runbook.md#dead-letters",
    "alarmActions": ["arn:aws:sns:eu-central-1:000000000000:on-call"],
}


def test_alarm_stands_with_every_input_it_was_given(clients: Clients, fresh_name: Name) -> None:
    kind, name = resource_type("aws:cloudwatch/metricAlarm:MetricAlarm"), fresh_name("alarm")

    created = kind.create(clients, "alarm", ALARM | {"name": name})

    assert created.id == name
    assert ALARM.items() <= created.outputs.items()
    assert created.outputs["arn"].endswith(f":alarm:{name}")


def test_alarm_without_a_name_gets_the_logical_one_with_a_random_end(clients: Clients) -> None:
    kind = resource_type("aws:cloudwatch/metricAlarm:MetricAlarm")

    names = [kind.create(clients, "dead-letters", ALARM).outputs["name"] for _ in range(2)]

    assert all(name.startswith("dead-letters-") for name in names)
    assert names[0] != names[1]


def test_alarm_with_another_threshold_is_changed_in_place(clients: Clients, fresh_name: Name) -> None:
    kind = resource_type("aws:cloudwatch/metricAlarm:MetricAlarm")
    old = ALARM | {"name": fresh_name("alarm")}
    created = kind.create(clients, "alarm", old)

    outputs = kind.update(clients, created.id, old, old | {"threshold": 5.0, "alarmActions": []})

    assert (outputs["threshold"], outputs["alarmActions"]) == (5.0, [])
    assert outputs["arn"] == created.outputs["arn"]


def test_dashboard_stands_with_its_body_and_takes_another(clients: Clients, fresh_name: Name) -> None:
    kind, name = resource_type("aws:cloudwatch/dashboard:Dashboard"), fresh_name("dashboard")
    old = {"dashboardName": name, "dashboardBody": '{"widgets": []}'}
    created = kind.create(clients, "dashboard", old)
    body = '{"widgets": [{"type": "text", "properties": {"markdown": "<&>"}}]}'

    outputs = kind.update(clients, created.id, old, old | {"dashboardBody": body})

    assert created.outputs["dashboardBody"] == old["dashboardBody"]
    assert (outputs["dashboardBody"], outputs["dashboardArn"]) == (body, created.outputs["dashboardArn"])


@pytest.mark.parametrize(
    ("pulumi_type", "inputs", "name_field"),
    [
        ("aws:cloudwatch/metricAlarm:MetricAlarm", ALARM, "name"),
        ("aws:cloudwatch/dashboard:Dashboard", {"dashboardBody": "{}"}, "dashboardName"),
    ],
)
def test_resource_that_was_removed_is_gone_and_may_be_removed_again(
    clients: Clients, fresh_name: Name, pulumi_type: str, inputs: dict[str, Any], name_field: str
) -> None:
    kind, given = resource_type(pulumi_type), inputs | {name_field: fresh_name("gone")}
    created = kind.create(clients, "gone", given)

    kind.delete(clients, created.id)
    kind.delete(clients, created.id)

    assert kind.read(clients, created.id, given) is None
