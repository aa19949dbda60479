"""Every alarm there is: what it watches, when it fires, and what its missing data means.

A metric is only listed here if it moves for the cause in question. Two that look right do not:

- `NumberOfMessagesSent` of a dead-letter queue counts what people send to it, never what SQS moves there.
- `Errors` counts invocations that fail, never messages or records that a handler reports as failed.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from . import limits
from .validation import WholeNumber

MINUTE_SECONDS = 60
FIVE_MINUTES_SECONDS = 5 * MINUTE_SECONDS
HOUR_SECONDS = 60 * MINUTE_SECONDS
MILLISECONDS_PER_SECOND = 1000

QUEUES = "AWS/SQS"
FUNCTIONS = "AWS/Lambda"
OUTBOX = "Outbox"
"""The namespace of the handlers' own metrics, as handlers/outbox/log.py writes it; a test holds them together."""
DIMENSIONS = {QUEUES: "QueueName", FUNCTIONS: "FunctionName", OUTBOX: "FunctionName"}


class Missing(Enum):
    """What a period without data says.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
    """

    IS_WELL = "notBreaching"
    """The metric exists only while something happens that it counts."""
    SAYS_NOTHING = "ignore"
    """The state stays what it was: silence must not end an alarm."""
    IS_AN_ALARM = "breaching"
    """The metric counts a sign of life."""


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """One alarm: it fires when `statistic` of `metric` over one period is `threshold` or more.

    `name` is the end of the resource's name and the section of docs/runbook.md, unless `section` names another.
    `watches` is the field of the component's args that holds the queue's or function's name. A threshold is
    a setting, or fixed where another number would make no sense; it counts in units of `unit_per_threshold`.
    """

    name: str
    watches: str
    namespace: str
    metric: str
    statistic: str
    missing: Missing
    means: str
    threshold: WholeNumber | int = 1
    unit_per_threshold: int = 1
    period_seconds: int = MINUTE_SECONDS
    below: bool = False
    section: str = ""

    @property
    def anchor(self) -> str:
        """The section of the runbook."""
        return self.section or self.name

    @property
    def dimension(self) -> str:
        """The dimension that holds the watched name."""
        return DIMENSIONS[self.namespace]

    @property
    def comparison(self) -> str:
        """CloudWatch's word for when it fires."""
        return "LessThanThreshold" if self.below else "GreaterThanOrEqualToThreshold"

    def threshold_in(self, args: Mapping[str, object]) -> int:
        """The threshold as CloudWatch compares it.

        Raises:
            InvalidSettingError: the setting is out of its range.
        """
        number = self.threshold if isinstance(self.threshold, int) else self.threshold.read(args)
        return number * self.unit_per_threshold


def _errors(purpose: str, means: str, threshold: WholeNumber | int) -> Alarm:
    return Alarm(
        name=f"{purpose}-errors",
        watches=f"{purpose}_function_name",
        namespace=FUNCTIONS,
        metric="Errors",
        statistic="Sum",
        threshold=threshold,
        period_seconds=FIVE_MINUTES_SECONDS,
        missing=Missing.IS_WELL,
        means=means,
    )


def _throttles(purpose: str, means: str, threshold: WholeNumber | int = limits.ALARM_THROTTLES) -> Alarm:
    return Alarm(
        name=f"{purpose}-throttles",
        section="throttles",
        watches=f"{purpose}_function_name",
        namespace=FUNCTIONS,
        metric="Throttles",
        statistic="Sum",
        threshold=threshold,
        period_seconds=FIVE_MINUTES_SECONDS,
        missing=Missing.IS_WELL,
        means=means,
    )


def _finding(metric: str, name: str, means: str) -> Alarm:
    """What the last runs of the reconciler found; an hour holds several of them."""
    return Alarm(
        name=name,
        watches="reconciler_function_name",
        namespace=OUTBOX,
        metric=metric,
        statistic="Maximum",
        period_seconds=HOUR_SECONDS,
        missing=Missing.IS_WELL,
        means=means,
    )


def _not_empty(name: str, watches: str, means: str, threshold: WholeNumber | int = 1) -> Alarm:
    """SQS stops to report on a queue that nobody has touched for hours: its messages are still there then."""
    return Alarm(
        name=name,
        watches=watches,
        namespace=QUEUES,
        metric="ApproximateNumberOfMessagesVisible",
        statistic="Maximum",
        threshold=threshold,
        missing=Missing.SAYS_NOTHING,
        means=means,
    )


ALARMS = (
    _not_empty(
        "dead-letters",
        "dead_letter_queue_name",
        "Messages could not be handled and wait in the dead-letter queue.",
        limits.ALARM_DEAD_LETTERS,
    ),
    Alarm(
        name="oldest-message",
        watches="queue_name",
        namespace=QUEUES,
        metric="ApproximateAgeOfOldestMessage",
        statistic="Maximum",
        threshold=limits.ALARM_MESSAGE_AGE_SECONDS,
        # Reported while there is a message: nothing to report is an empty queue.
        missing=Missing.IS_WELL,
        means="Events wait in the delivery queue and are not applied.",
    ),
    Alarm(
        name="stream-age",
        watches="relay_function_name",
        namespace=FUNCTIONS,
        metric="IteratorAge",
        statistic="Maximum",
        threshold=limits.ALARM_STREAM_AGE_SECONDS,
        unit_per_threshold=MILLISECONDS_PER_SECOND,
        # Reported for each batch that the relay gets: between two attempts, and while its mapping is off, there is
        # none, and the stream is as late as before.
        missing=Missing.SAYS_NOTHING,
        means="Stored events wait in the stream and are not sent.",
    ),
    Alarm(
        name="relay-parked",
        watches="relay_function_name",
        namespace=OUTBOX,
        metric="RelayParked",
        statistic="Sum",
        period_seconds=FIVE_MINUTES_SECONDS,
        missing=Missing.IS_WELL,
        means="A stored event can never be sent as it is, and was left out.",
    ),
    _not_empty(
        "relay-failures",
        "relay_failure_queue_name",
        "Lambda gave up stream records: their events are stored, and nobody will send them.",
    ),
    _errors(
        "command",
        "Commands fail or are refused, and their callers are told so.",
        limits.ALARM_COMMAND_ERRORS,
    ),
    _errors(
        "relay", "Invocations of the relay fail as a whole; it is tried again.", limits.ALARM_FUNCTION_ERRORS
    ),
    _errors(
        "consumer",
        "Invocations of the consumer fail as a whole; their messages are delivered again.",
        limits.ALARM_FUNCTION_ERRORS,
    ),
    _errors("reconciler", "A run of the reconciler fails, and lost events may stay lost for longer.", 1),
    _throttles("command", "Lambda turns commands away, and their callers are told so."),
    _throttles("relay", "Lambda holds the relay back, and stored events wait in the stream."),
    _throttles(
        "consumer", "Lambda holds the consumer back, and each delivery turned away counts as a receive."
    ),
    _throttles("reconciler", "Lambda holds the reconciler back, and lost events stay lost for longer.", 1),
    _finding(
        "ReconcilerHealed",
        "reconciler-healed",
        "Events were stored and never sent; the reconciler sent them.",
    ),
    _finding("ReconcilerParked", "reconciler-parked", "Stored events can never be sent as they are."),
    _finding(
        "ReconcilerConflicting",
        "reconciler-conflicting",
        "Events were applied with other content than is stored under their identity.",
    ),
    Alarm(
        name="reconciler-silent",
        watches="reconciler_function_name",
        namespace=FUNCTIONS,
        metric="Invocations",
        statistic="Sum",
        period_seconds=2 * HOUR_SECONDS,
        below=True,
        missing=Missing.IS_AN_ALARM,
        means="The reconciler has not run for two hours, so a relay that is off is noticed by nobody.",
    ),
)
