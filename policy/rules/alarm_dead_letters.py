"""In production somebody is told of the first message that nobody could handle.

A dead-letter queue is read by nobody, and its messages expire. Its depth is the one metric that moves when SQS
fills it: `NumberOfMessagesSent` does not count what SQS moves.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
"""

from typing import Any

from pack.alarms import DEAD_LETTERS, SENT_BY_PEOPLE, watched_by
from pack.options import PRODUCTION_STACKS, in_production, whole
from pack.queues import taking_failures
from pack.resources import ALARM, QUEUE, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack
from pack.values import UNKNOWN

FIX = "Alarm on the Maximum of its ApproximateNumberOfMessagesVisible, or use the component Monitoring."


@stack_rule(
    name="alarm-dead-letters",
    description="In production each dead-letter or failure queue has an alarm on its depth.",
    remediation=FIX,
    options={
        **PRODUCTION_STACKS,
        "maximumMessages": whole(1, "Most messages at which the alarm has to fire.", minimum=1),
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge every dead-letter queue and every queue of a mapping's failures in a production stack."""
    takers = taking_failures(stack)
    for queue in stack.of(QUEUE):
        if queue.urn not in takers or not in_production(queue, config):
            continue
        alarms = [alarm for alarm in stack.of(ALARM) if queue in watched_by(stack, alarm)]
        on_depth = [alarm for alarm in alarms if _metric(alarm) == DEAD_LETTERS]
        reached = [_reached_at(alarm) for alarm in on_depth]
        if any(count is not UNKNOWN and count <= config["maximumMessages"] for count in reached):
            continue
        if UNKNOWN in reached:
            yield on_depth[reached.index(UNKNOWN)].pending("threshold")
            continue
        yield queue.finding(
            f"Queue '{queue.name}' takes what nobody could handle and must have an alarm that fires at "
            f"{config['maximumMessages']:g} message(s); {_found(alarms, reached)}. {FIX}"
        )


def _found(alarms: list[Resource], reached: list[Any]) -> str:
    if reached:
        return f"its alarm fires at {min(reached):g}"
    if any(_metric(alarm) == SENT_BY_PEOPLE for alarm in alarms):
        return "its alarm watches NumberOfMessagesSent, which does not count what SQS moves there"
    return "it has none"


def _metric(alarm: Resource) -> tuple[Any, Any]:
    return alarm.get("namespace"), alarm.get("metricName")


def _reached_at(alarm: Resource) -> Any:
    """The smallest depth at which an alarm fires; without end where it never does."""
    threshold = alarm.get("threshold")
    comparison = alarm.get("comparisonOperator")
    if UNKNOWN in (threshold, comparison):
        return UNKNOWN
    if threshold is None or comparison not in ("GreaterThanOrEqualToThreshold", "GreaterThanThreshold"):
        return float("inf")
    return threshold if comparison == "GreaterThanOrEqualToThreshold" else threshold + 1
