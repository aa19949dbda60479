"""Evaluates alarms as CloudWatch documents it, over metrics that a test makes; nothing here is CloudWatch itself.

Once a minute the newest period is evaluated. CloudWatch goes further back when data is missing, so near the edge of a
gap it may keep a state for some minutes longer.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tools.simulation.sqs import Queue

OK, ALARM, INSUFFICIENT_DATA = "OK", "ALARM", "INSUFFICIENT_DATA"
STATISTICS: Mapping[str, Callable[[list[float]], float]] = {"Maximum": max, "Sum": sum}
COMPARISONS = {"GreaterThanOrEqualToThreshold": operator.ge, "LessThanThreshold": operator.lt}
# SQS leaves a message out of the age of the oldest one after so many receives, and reports on a queue for so long
# after its last use.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
RECEIVES_IN_AGE = 3
ACTIVE_MINUTES = 6 * 60

Metric = tuple[str, str, str]
"""Namespace, name, value of the dimension."""
Series = Mapping[Metric, Sequence[float | None]]
"""The value of each minute, or None where the metric has no data."""


def states(alarm: Mapping[str, Any], series: Series) -> list[str]:
    """The alarm's state after each minute of the series; a metric that is not in it has no data at all."""
    (watched,) = alarm["dimensions"].values()
    values = series.get((alarm["namespace"], alarm["metricName"], watched), [])
    minutes = max((len(each) for each in series.values()), default=0)
    period = int(alarm["period"] // 60)
    state, found = INSUFFICIENT_DATA, []
    for minute in range(1, minutes + 1):
        points = [value for value in values[max(0, minute - period) : minute] if value is not None]
        state = _next_state(alarm, points, state)
        found.append(state)
    return found


def _next_state(alarm: Mapping[str, Any], points: list[float], state: str) -> str:
    if not points:
        return {"breaching": ALARM, "notBreaching": OK, "ignore": state, "missing": INSUFFICIENT_DATA}[
            alarm["treatMissingData"]
        ]
    value = STATISTICS[alarm["statistic"]](points)
    return ALARM if COMPARISONS[alarm["comparisonOperator"]](value, alarm["threshold"]) else OK


class QueueMetrics:
    """Metrics that SQS reports of a simulated queue, minute by minute."""

    def __init__(self, queue: Queue, name: str) -> None:
        self._queue = queue
        self._name = name
        self._idle_minutes = 0
        self._sent_before = 0
        self.depths: list[float | None] = []
        self.ages: list[float | None] = []
        self.sent: list[float | None] = []

    def report(self, now: float, *, used: bool) -> None:
        """Add one minute; `used` says whether anybody called the queue in it."""
        self._idle_minutes = 0 if used else self._idle_minutes + 1
        active = self._idle_minutes < ACTIVE_MINUTES
        messages = self._queue.messages.values()
        aged = [now - each.sent_at for each in messages if each.receives < RECEIVES_IN_AGE]
        sent = self._queue._sent - self._sent_before
        self._sent_before = self._queue._sent
        self.depths.append(float(sum(each.visible_at <= now for each in messages)) if active else None)
        self.ages.append(max(aged) if active and aged else None)
        self.sent.append(float(sent) if active else None)

    def series(self) -> dict[Metric, list[float | None]]:
        """The metrics by name."""
        return {
            ("AWS/SQS", "ApproximateNumberOfMessagesVisible", self._name): self.depths,
            ("AWS/SQS", "ApproximateAgeOfOldestMessage", self._name): self.ages,
            ("AWS/SQS", "NumberOfMessagesSent", self._name): self.sent,
        }
