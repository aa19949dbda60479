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
    """Meaning of a period without data.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
    """

    IS_WELL = "notBreaching"
    """The metric exists only while something happens that it counts."""
    SAYS_NOTHING = "ignore"
    """The state stays what it was: silence must not end an alarm."""
    IS_AN_ALARM = "breaching"
    """The metric counts a sign of life."""


@dataclass(frozen=True)
class Metric:
    """A metric, and how an alarm evaluates it."""

    namespace: str
    name: str
    statistic: str
    period_seconds: int
    missing: Missing
    below: bool = False

    @property
    def dimension(self) -> str:
        """The dimension that holds the watched name."""
        return DIMENSIONS[self.namespace]

    @property
    def comparison(self) -> str:
        """CloudWatch's word for when an alarm fires."""
        return "LessThanThreshold" if self.below else "GreaterThanOrEqualToThreshold"


# SQS stops to report on a queue that nobody has touched for hours: its messages are still there then.
VISIBLE = Metric(
    QUEUES, "ApproximateNumberOfMessagesVisible", "Maximum", MINUTE_SECONDS, Missing.SAYS_NOTHING
)
# Reported while there is a message: nothing to report is an empty queue.
OLDEST = Metric(QUEUES, "ApproximateAgeOfOldestMessage", "Maximum", MINUTE_SECONDS, Missing.IS_WELL)
# Reported for each batch that the relay gets: between two attempts, and while its mapping is off, there is none, and
# the stream is as late as before.
STREAM_AGE = Metric(FUNCTIONS, "IteratorAge", "Maximum", MINUTE_SECONDS, Missing.SAYS_NOTHING)
ERRORS = Metric(FUNCTIONS, "Errors", "Sum", FIVE_MINUTES_SECONDS, Missing.IS_WELL)
THROTTLES = Metric(FUNCTIONS, "Throttles", "Sum", FIVE_MINUTES_SECONDS, Missing.IS_WELL)
RUNS = Metric(FUNCTIONS, "Invocations", "Sum", 2 * HOUR_SECONDS, Missing.IS_AN_ALARM, below=True)
PARKED = Metric(OUTBOX, "RelayParked", "Sum", FIVE_MINUTES_SECONDS, Missing.IS_WELL)
# What the last runs of the reconciler found; an hour holds several of them.
HEALED, RECONCILER_PARKED, CONFLICTING = (
    Metric(OUTBOX, f"Reconciler{found}", "Maximum", HOUR_SECONDS, Missing.IS_WELL)
    for found in ("Healed", "Parked", "Conflicting")
)


@dataclass(frozen=True)
class Alarm:
    """One alarm: it fires when its metric over one period is `threshold` or more, or with `below` less.

    `name` is the end of the resource's name and the section of docs/runbook.md, unless `section` names another.
    `watches` is the field of the component's args that holds the queue's or function's name. A threshold is
    a setting, or fixed where another number would make no sense; it counts in units of `unit_per_threshold`.
    """

    name: str
    metric: Metric
    watches: str
    means: str
    threshold: WholeNumber | int = 1
    section: str = ""
    unit_per_threshold: int = 1

    @property
    def anchor(self) -> str:
        """The section of the runbook."""
        return self.section or self.name

    def threshold_in(self, args: Mapping[str, object]) -> int:
        """The threshold as CloudWatch compares it.

        Raises:
            InvalidSettingError: the setting is out of its range.
        """
        number: int = self.threshold if isinstance(self.threshold, int) else self.threshold.read(args)
        return number * self.unit_per_threshold


COMMAND, RELAY, CONSUMER, RECONCILER = FUNCTION_FIELDS = (
    "command_function_name",
    "relay_function_name",
    "consumer_function_name",
    "reconciler_function_name",
)
ALARMS = (
    Alarm(
        "dead-letters",
        VISIBLE,
        "dead_letter_queue_name",
        "Messages could not be handled and wait in the dead-letter queue.",
        limits.ALARM_DEAD_LETTERS,
    ),
    Alarm(
        "oldest-message",
        OLDEST,
        "queue_name",
        "Events wait in the delivery queue and are not applied.",
        limits.ALARM_MESSAGE_AGE_SECONDS,
    ),
    Alarm(
        "stream-age",
        STREAM_AGE,
        RELAY,
        "Stored events wait in the stream and are not sent.",
        limits.ALARM_STREAM_AGE_SECONDS,
        unit_per_threshold=MILLISECONDS_PER_SECOND,
    ),
    Alarm("relay-parked", PARKED, RELAY, "A stored event can never be sent as it is, and was left out."),
    Alarm(
        "relay-failures",
        VISIBLE,
        "relay_failure_queue_name",
        "Lambda abandoned batches of stream records: their events are stored, and nobody will send them.",
    ),
    Alarm(
        "command-errors",
        ERRORS,
        COMMAND,
        "Commands fail or are refused, and their callers are told so.",
        limits.ALARM_COMMAND_ERRORS,
    ),
    Alarm(
        "relay-errors",
        ERRORS,
        RELAY,
        "Invocations of the relay fail as a whole; it is tried again.",
        limits.ALARM_FUNCTION_ERRORS,
    ),
    Alarm(
        "consumer-errors",
        ERRORS,
        CONSUMER,
        "Invocations of the consumer fail as a whole; their messages are delivered again.",
        limits.ALARM_FUNCTION_ERRORS,
    ),
    Alarm(
        "reconciler-errors",
        ERRORS,
        RECONCILER,
        "A run of the reconciler fails, and lost events may stay lost for longer.",
    ),
    *(
        Alarm(f"{field.partition('_')[0]}-throttles", THROTTLES, field, means, threshold, "throttles")
        for field, means, threshold in (
            (COMMAND, "Lambda turns commands away, and their callers are told so.", limits.ALARM_THROTTLES),
            (
                RELAY,
                "Lambda throttles the relay, and stored events wait in the stream.",
                limits.ALARM_THROTTLES,
            ),
            (
                CONSUMER,
                "Lambda throttles the consumer, and each delivery turned away counts as a receive.",
                limits.ALARM_THROTTLES,
            ),
            (RECONCILER, "Lambda throttles the reconciler, and lost events stay lost for longer.", 1),
        )
    ),
    Alarm(
        "reconciler-healed",
        HEALED,
        RECONCILER,
        "Events were stored and never sent; the reconciler sent them.",
    ),
    Alarm("reconciler-parked", RECONCILER_PARKED, RECONCILER, "Stored events can never be sent as they are."),
    Alarm(
        "reconciler-conflicting",
        CONFLICTING,
        RECONCILER,
        "Events were applied with other content than is stored under their identity.",
    ),
    Alarm(
        "reconciler-silent",
        RUNS,
        RECONCILER,
        "The reconciler has not run for two hours, so a relay that is off is noticed by nobody.",
    ),
)
