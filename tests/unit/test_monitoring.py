"""Monitoring: which alarms there are for which names, what they say, and what the dashboard draws."""

import json
from typing import Any

import pulumi
import pytest

from components.alarms import ALARMS, OUTBOX
from components.monitoring import Monitoring
from outbox import heal, log
from outbox_cli.cost.bills import ALARM_COUNT, DASHBOARD_COUNT
from tests.unit.aws_mocks import ALARM, DASHBOARD, AwsMocks
from tests.unit.builders import COMPLETE, run_monitoring
from tests.unit.production_alarms import alarm_arns
from tests.unit.recording import UNKNOWN, Recording, refused, run
from tests.unit.root_program import run_root

RECONCILER_ALARMS = {
    "all-reconciler-errors",
    "all-reconciler-throttles",
    "all-reconciler-healed",
    "all-reconciler-parked",
    "all-reconciler-conflicting",
    "all-reconciler-silent",
}
TOPIC_ARN = "arn:aws:sns:us-east-1:123456789012:on-call"


def run_only(**args: Any) -> Recording:
    """Monitoring of these names alone."""
    return run_monitoring(**{**dict.fromkeys(COMPLETE["Monitoring"]), **args})


def alarm_names(recording: Recording) -> set[str]:
    return {alarm.name for alarm in recording.of_type(ALARM)}


def body_of(recording: Recording) -> Any:
    (dashboard,) = recording.of_type(DASHBOARD)
    return json.loads(dashboard.inputs["dashboardBody"])


def test_monitoring_of_a_consumer_alone_has_the_consumers_alarms() -> None:
    recording = run_only(consumer_function_name="consume", queue_name="events", dead_letter_queue_name="dead")

    assert alarm_names(recording) == {
        *("all-dead-letters", "all-oldest-message", "all-consumer-errors", "all-consumer-throttles"),
    }
    drawn = {
        (line[1], line[3])
        for widget in body_of(recording)["widgets"]
        for line in widget["properties"].get("metrics", [])
    }
    assert {name for _, name in drawn} == {"consume", "events", "dead"}


def test_monitoring_without_a_reconciler_has_none_of_its_alarms() -> None:
    with_one = run_monitoring()
    without = run_monitoring(reconciler_function_name=None)

    assert alarm_names(with_one) - alarm_names(without) == RECONCILER_ALARMS


def test_topic_of_another_resource_is_refused_when_it_is_known_to_be_none() -> None:
    registered = refused(
        lambda: Monitoring(
            "all", {"queue_name": "q", "alarm_topic_arns": [TOPIC_ARN, pulumi.Output.from_input("on-call")]}
        )
    )

    assert "all-dashboard" not in registered


@pytest.mark.parametrize("sequence", [list, tuple])
def test_topics_are_told_of_the_beginning_and_the_end_of_an_alarm(sequence: type[Any]) -> None:
    def program() -> None:
        topics = sequence([TOPIC_ARN, pulumi.Output.from_input(f"{TOPIC_ARN}-2")])
        Monitoring("all", {"queue_name": "events", "alarm_topic_arns": topics})

    recording = run(program)

    told = recording.one(ALARM, "all-oldest-message").inputs
    assert told["alarmActions"] == told["okActions"] == [TOPIC_ARN, f"{TOPIC_ARN}-2"]


def test_description_says_what_it_means_which_stack_and_where_to_read_on() -> None:
    recording = run_root("prod")

    told = recording.one(ALARM, "outbox-dead-letters").inputs["alarmDescription"]
    assert told == (
        "Messages could not be handled and wait in the dead-letter queue. "
        "Stack prod. Runbook: docs/runbook.md#dead-letters"
    )


def test_metrics_of_the_handlers_are_named_as_the_handlers_write_them() -> None:
    own = {alarm.metric.name for alarm in ALARMS if alarm.metric.namespace == OUTBOX}

    assert log.METRIC_NAMESPACE == OUTBOX
    assert own == {
        log.PARKED_METRIC,
        heal.HEALED_METRIC,
        heal.PARKED_METRIC,
        heal.CONFLICTING_METRIC,
    }


def test_dashboard_draws_its_own_region_and_every_alarm() -> None:
    recording = run_root("prod", AwsMocks(region="ap-south-1"))

    body = body_of(recording)
    states, *graphs = body["widgets"]
    assert states["properties"]["alarms"] == alarm_arns("ap-south-1")
    assert {graph["properties"]["region"] for graph in graphs} == {"ap-south-1"}
    assert "us-east-1" not in json.dumps(body)


def test_dashboard_draws_each_metric_that_an_alarm_watches() -> None:
    recording = run_monitoring()

    drawn = {
        (namespace, metric, dimension, name)
        for widget in body_of(recording)["widgets"]
        for namespace, metric, dimension, name, _ in widget["properties"].get("metrics", [])
    }
    assert drawn >= {
        (alarm.metric.namespace, alarm.metric.name, alarm.metric.dimension, f"the-{alarm.watches}")
        for alarm in ALARMS
    }


def test_dashboard_has_no_empty_graph_and_no_overlap() -> None:
    recording = run_only(queue_name="events")

    widgets = body_of(recording)["widgets"]
    fields = [
        (column, row)
        for widget in widgets
        for column in range(widget["x"], widget["x"] + widget["width"])
        for row in range(widget["y"], widget["y"] + widget["height"])
    ]
    assert len(fields) == len(set(fields))
    assert max(column for column, _ in fields) < 24
    assert all(widget["properties"].get("metrics", True) for widget in widgets)


def test_dashboards_of_two_stacks_in_one_account_do_not_overwrite_each_other() -> None:
    class OtherEnd(AwsMocks):
        def _computed(self, type_: str, name: str, region: str, inputs: Any) -> dict[str, Any]:
            return super()._computed(type_, name.replace("-1a2b3c4", "-9f8e7d6"), region, inputs)

    names = [
        run_root("prod", mocks).of_type(DASHBOARD)[0].inputs["dashboardName"]
        for mocks in (AwsMocks(), OtherEnd())
    ]

    assert names == ["outbox-dashboard-1a2b3c4", "outbox-dashboard-9f8e7d6"]


def test_first_preview_knows_all_of_an_alarm_but_the_name_it_watches() -> None:
    known = {alarm.name: alarm.inputs for alarm in run_root("prod").of_type(ALARM)}

    first = {alarm.name: alarm.inputs for alarm in run_root("prod", AwsMocks(preview=True)).of_type(ALARM)}

    assert first == {
        name: inputs | {"dimensions": dict.fromkeys(inputs["dimensions"], UNKNOWN)}
        for name, inputs in known.items()
    }


def test_bill_counts_the_alarms_and_dashboards_of_the_prod_stack() -> None:
    recording = run_root("prod")

    assert (len(recording.of_type(ALARM)), len(recording.of_type(DASHBOARD))) == (
        ALARM_COUNT,
        DASHBOARD_COUNT,
    )
