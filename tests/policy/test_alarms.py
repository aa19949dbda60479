"""Alarms that look right and are not, in stacks as people write them."""

from typing import Any

import pytest

from pack.resources import ALARM, QUEUE
from tests.policy.changes import put, remove, set_to
from tests.policy.judging import judge
from tests.policy.worlds import recorded

FIRE, DEAD = "alarm-can-fire", "alarm-dead-letters"
RIGHT: dict[str, Any] = {
    "namespace": "AWS/SQS",
    "metricName": "ApproximateNumberOfMessagesVisible",
    "dimensions": {"QueueName": "sales-dead-letter-queue-1a2b3c4"},
    "statistic": "Maximum",
    "comparisonOperator": "GreaterThanThreshold",
    "threshold": 0.0,
    "period": 300.0,
    "evaluationPeriods": 1.0,
    "treatMissingData": "ignore",
    "alarmDescription": "Look at https://wiki.test/outbox#dead",
}


def test_alarm_on_what_people_send_is_told_apart_from_one_on_what_sqs_moves() -> None:
    world = recorded("prod")
    set_to("outbox-dead-letters", "metricName", value="NumberOfMessagesSent")(world)

    judged = judge(world, DEAD)

    (finding,) = judged.findings
    assert finding.resource == "sales-dead-letter-queue"
    assert "watches NumberOfMessagesSent, which does not count what SQS moves there" in finding.message


def test_handwritten_alarm_above_zero_is_as_good_as_one_of_the_component() -> None:
    world = recorded("prod")
    remove("outbox-dead-letters")(world)
    world.add(ALARM, "handwritten", RIGHT)

    judged = judge(world, FIRE, DEAD, "alarm-runbook")

    assert judged.findings == []


def test_dead_letter_queue_without_alarm_is_found_at_the_first_preview() -> None:
    world = recorded("prod", preview=True)
    remove("outbox-dead-letters")(world)

    judged = judge(world, DEAD)

    (finding,) = judged.findings
    assert finding.resource == "sales-dead-letter-queue"
    assert "it has none" in finding.message


def test_trial_stack_needs_no_alarm_unless_it_is_called_production() -> None:
    world = recorded("dev")

    trial = judge(world, DEAD)
    production = judge(world, DEAD, config={"productionStacks": ["*"]})

    assert trial.findings == []
    assert [finding.resource for finding in production.findings] == ["sales-dead-letter-queue"]


def test_alarm_on_something_outside_the_stack_and_the_outbox_is_left_alone() -> None:
    world = recorded("prod")
    foreign = {"namespace": "AWS/EC2", "metricName": "CPUUtilization", "dimensions": {"InstanceId": "i-1"}}
    world.add(ALARM, "foreign", foreign)

    judged = judge(world, FIRE)

    assert judged.findings == []


def test_alarm_by_another_metric_on_a_function_is_a_finding_unless_allowed() -> None:
    world = recorded("prod")
    set_to("outbox-relay-errors", "metricName", value="Duration")(world)

    told = judge(world, FIRE)
    allowed = judge(world, FIRE, config={"furtherMetrics": ["Duration"]})

    assert [finding.resource for finding in told.findings] == ["outbox-relay-errors"]
    assert allowed.findings == []


def test_everything_wrong_with_an_alarm_is_told_at_once() -> None:
    world = recorded("prod")
    for name, value in {"statistic": "Average", "period": 86_400.0, "treatMissingData": "missing"}.items():
        put("outbox-oldest-message", (name,), value)(world)

    judged = judge(world, FIRE)

    (finding,) = judged.findings
    assert "its statistic is not Maximum" in finding.message
    assert "its treatMissingData is not notBreaching" in finding.message
    assert "its period is no number of whole minutes up to 7200 s" in finding.message


@pytest.mark.parametrize("threshold", ["many", []], ids=str)
def test_threshold_of_another_shape_is_a_finding_of_both_rules(threshold: Any) -> None:
    world = recorded("prod")
    put("outbox-dead-letters", ("threshold",), threshold)(world)

    judged = judge(world, FIRE, DEAD)

    assert judged.rules == [FIRE, DEAD]
    assert all("has a shape that this rule cannot read" in finding.message for finding in judged.findings)


def test_queue_that_takes_no_failures_needs_no_alarm() -> None:
    world = recorded("prod")
    world.add(QUEUE, "another", {"name": "another"})

    judged = judge(world, DEAD)

    assert judged.findings == []
