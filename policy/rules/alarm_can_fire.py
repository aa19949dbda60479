"""An alarm on a queue or a function of the stack fires for its cause, and ends with it.

Statistic, comparison, period and missing data have to suit the metric: a sum of depths, a mean of ages, or
a period without data that ends the alarm look right in a console and are wrong at night.
"""

from collections.abc import Iterator
from typing import Any

from pack.alarms import SIGNALS, Signal, watched_by
from pack.options import texts, whole
from pack.resources import ALARM, Config, Finding, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack
from pack.values import UNKNOWN

PERIOD_STEP_SECONDS = 60
ABOVE = ("GreaterThanOrEqualToThreshold", "GreaterThanThreshold")
BELOW = ("LessThanThreshold", "LessThanOrEqualToThreshold")
# With these words a threshold of 0 is reached always, or never.
NEVER_AT_ZERO = (ABOVE[0], BELOW[0])
JUDGED = (
    "dimensions",
    "statistic",
    "comparisonOperator",
    "threshold",
    "period",
    "evaluationPeriods",
    "datapointsToAlarm",
    "treatMissingData",
    "actionsEnabled",
)
FIX = "Set it as the component Monitoring does, or exempt the alarm."


@stack_rule(
    name="alarm-can-fire",
    description="Alarms on queues, functions and the outbox are set so that they fire for their cause and end with it.",
    remediation=FIX,
    options={
        "furtherMetrics": texts([], "Names of other metrics that alarms may watch, unjudged."),
        "maximumPeriodSeconds": whole(7200, "Longest period of an alarm.", minimum=60),
        "maximumPeriods": whole(5, "Most periods that an alarm evaluates.", minimum=1),
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge each alarm on a metric that the pack knows, or on something of this stack."""
    for alarm in stack.of(ALARM):
        metric = (alarm.get("namespace"), alarm.get("metricName"))
        watched = watched_by(stack, alarm)
        if UNKNOWN in metric:
            yield alarm.pending("metricName")
        elif (signal := SIGNALS.get(metric)) is None:
            if watched and metric[1] not in config["furtherMetrics"]:
                yield _finding(
                    alarm, [f"it watches {metric[1]} of {metric[0]}, for which no way to fire is known"]
                )
        else:
            yield from (alarm.pending(name) for name in JUDGED if alarm.get(name) is UNKNOWN)
            faults = [*_faults_of_place(alarm, signal, watched), *_faults_of_settings(alarm, signal, config)]
            if faults:
                yield _finding(alarm, faults)


def _faults_of_place(alarm: Resource, signal: Signal, watched: list[Resource]) -> Iterator[str]:
    dimensions = alarm.get("dimensions")
    if dimensions is UNKNOWN:
        return
    if set(dimensions or ()) != {signal.dimension}:
        yield f"its dimensions are not {signal.dimension} alone"
    elif not watched:
        yield f"its {signal.dimension} names nothing of this stack"


def _faults_of_settings(alarm: Resource, signal: Signal, config: Config) -> Iterator[str]:
    def differs(name: str, accepted: tuple[Any, ...]) -> bool:
        return alarm.get(name) is not UNKNOWN and alarm.get(name) not in accepted

    comparison = alarm.get("comparisonOperator")
    if differs("statistic", (signal.statistic,)):
        yield f"its statistic is not {signal.statistic}"
    if differs("comparisonOperator", BELOW if signal.below else ABOVE):
        yield f"its comparison is not one of {', '.join(BELOW if signal.below else ABOVE)}"
    if differs("treatMissingData", (signal.missing,)):
        yield f"its treatMissingData is not {signal.missing}"
    if differs("actionsEnabled", (None, True)):
        yield "its actions are off"
    if (threshold := alarm.get("threshold")) is not UNKNOWN and (
        threshold is None or threshold < 0 or (threshold == 0 and comparison in NEVER_AT_ZERO)
    ):
        yield "its threshold says nothing"
    if (period := alarm.get("period")) is not UNKNOWN and (
        not period or period % PERIOD_STEP_SECONDS or period > config["maximumPeriodSeconds"]
    ):
        yield f"its period is no number of whole minutes up to {config['maximumPeriodSeconds']:g} s"
    periods, points = alarm.get("evaluationPeriods"), alarm.get("datapointsToAlarm")
    if UNKNOWN not in (periods, points) and not (
        1 <= (points or 1) <= (periods or 0) <= config["maximumPeriods"]
    ):
        yield f"it evaluates other than 1 to {config['maximumPeriods']:g} periods"


def _finding(alarm: Resource, faults: list[str]) -> Finding:
    return alarm.finding(
        f"Alarm '{alarm.name}' must fire for its cause and end with it; {'; '.join(faults)}. {FIX}"
    )
