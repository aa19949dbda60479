"""Alarms, each moved off what makes it fire."""

from typing import Any

from pack.alarms import SIGNALS
from pack.resources import ALARM
from tests.policy.changes import put, remove
from tests.policy.mutated_documents import Found
from tests.policy.worlds import World

FIRE = "alarm-can-fire"
OPPOSITE = {
    "GreaterThanOrEqualToThreshold": "LessThanThreshold",
    "LessThanThreshold": "GreaterThanOrEqualToThreshold",
}
MISSING = (None, "missing", "ignore", "notBreaching", "breaching")
SETTINGS: tuple[tuple[str, tuple[Any, ...], str], ...] = (
    ("namespace", (None, "AWS/SNS"), FIRE),
    ("metricName", (None, "NumberOfMessagesSent", "Duration"), FIRE),
    ("statistic", (None, "Average", "Minimum", "SampleCount"), FIRE),
    ("threshold", (None, 0, -1), FIRE),
    ("period", (None, 10, 61, 7260), FIRE),
    ("evaluationPeriods", (None, 0, 6), FIRE),
    ("datapointsToAlarm", (2,), FIRE),
    ("actionsEnabled", (False,), FIRE),
    ("dimensions", (None, {}, {"QueueName": "elsewhere"}, {"FunctionName": "elsewhere"}), FIRE),
    ("alarmDescription", (None, "", "Look.", "Runbook: #"), "alarm-runbook"),
)


def alarms(world: World) -> Found:
    """Every setting of every alarm, and the alarms that must be there left out."""
    for alarm in world.of(ALARM):
        for name, values, rule in SETTINGS:
            for value in values:
                yield f"{alarm.name}.{name} = {value}", rule, put(alarm.name, (name,), value)
        opposite = OPPOSITE[alarm.inputs["comparisonOperator"]]
        for comparison in (None, opposite):
            change = put(alarm.name, ("comparisonOperator",), comparison)
            yield f"{alarm.name} compares by {comparison}", FIRE, change
        for missing in MISSING:
            if missing != alarm.inputs["treatMissingData"]:
                change = put(alarm.name, ("treatMissingData",), missing)
                yield f"{alarm.name} takes missing data for {missing}", FIRE, change
        (dimension,) = alarm.inputs["dimensions"]
        yield (
            f"{alarm.name} watches elsewhere",
            FIRE,
            put(alarm.name, ("dimensions", dimension), "elsewhere"),
        )
        metric = (alarm.inputs["namespace"], alarm.inputs["metricName"])
        if SIGNALS[metric].statistic == "Maximum" and dimension == "QueueName" and "Visible" in metric[1]:
            yield f"{alarm.name} removed", "alarm-dead-letters", remove(alarm.name)
            yield f"{alarm.name} at 2", "alarm-dead-letters", put(alarm.name, ("threshold",), 2)
