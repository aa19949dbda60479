"""The rules on alarms, each with the ways in which it is met."""

from tests.policy.case import Case
from tests.policy.changes import set_to, unknown, without

ALARMS = (
    Case(
        rule="alarm-can-fire",
        breaks=set_to("outbox-oldest-message", "evaluationPeriods", value=6.0),
        says="it looks at other than 1 to 5 periods",
        missing=without("outbox-oldest-message", "treatMissingData"),
        unknown=unknown("outbox-oldest-message", "threshold"),
        allowed={"maximumPeriods": 6.0},
        stack="prod",
        named=("outbox-oldest-message",),
    ),
    Case(
        rule="alarm-dead-letters",
        breaks=set_to("outbox-dead-letters", "threshold", value=2.0),
        says="an alarm that fires at 1 message(s); its alarm fires at 2",
        missing=without("outbox-dead-letters", "dimensions"),
        unknown=unknown("outbox-dead-letters", "threshold"),
        allowed={"maximumMessages": 2.0},
        stack="prod",
        named=("sales-dead-letter-queue",),
    ),
    Case(
        rule="alarm-runbook",
        breaks=set_to("outbox-dead-letters", "alarmDescription", value="Look at the queue."),
        says="it names no section of a runbook",
        missing=without("outbox-dead-letters", "alarmDescription"),
        unknown=unknown("outbox-dead-letters", "alarmDescription"),
        allowed={"productionStacks": ["live"]},
        stack="prod",
        named=("outbox-dead-letters",),
    ),
)
