"""Each alarm of the prod stack fires for its cause, stays while it lasts, and ends with it.

Queues are simulated by SQS's documented rules, the handlers' own code writes the handlers' own metrics; the rest are
series as AWS documents them. So this proves that the settings suit the documented metrics, not that CloudWatch keeps to
its documentation: the emulator has no metrics of queues and cannot tell.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from outbox import heal, log
from outbox.consume import consume
from outbox.errors import InvalidInputError
from outbox.retry import Backoff
from tests.unit import aws_mocks
from tests.unit.alarm_evaluation import ALARM, INSUFFICIENT_DATA, OK, QueueMetrics, Series, states
from tests.unit.production_alarms import CONSUMER, DEAD_LETTERS, QUEUE, RECONCILER, RELAY
from tests.unit.root_program import run_root
from tools.simulation.clock import VirtualClock
from tools.simulation.sqs import Queue
from tools.soak.system import START_EPOCH_SECONDS

HOUR, DAY = 60, 24 * 60  # in minutes


@cache
def alarms() -> Mapping[str, Any]:
    """The inputs of every alarm that the prod stack registers."""
    return {
        alarm.name.removeprefix("outbox-"): alarm.inputs
        for alarm in run_root("prod").of_type(aws_mocks.ALARM)
    }


def firing(series: Series) -> set[str]:
    """The alarms that are on at any minute of the series; a reconciler runs unless the series says how it does."""
    minutes = max(map(len, series.values()))
    whole = {("AWS/Lambda", "Invocations", RECONCILER): [1.0] * minutes, **series}
    return {name for name, alarm in alarms().items() if ALARM in states(alarm, whole)}


class Delivery:
    """The prod stack's two queues with their metrics, and time that passes minute by minute."""

    def __init__(self) -> None:
        self.clock = VirtualClock(START_EPOCH_SECONDS)
        self.dead = Queue("dead", self.clock, retention_seconds=14 * 86_400)
        self.queue = Queue(
            "queue",
            self.clock,
            retention_seconds=4 * 86_400,
            visibility_seconds=60,
            dead_letters=self.dead,
            receives_most=5,
        )
        self.metrics = QueueMetrics(self.queue, QUEUE), QueueMetrics(self.dead, DEAD_LETTERS)
        self.invocation_errors: list[float | None] = []

    def pass_minutes(self, minutes: int, *, consuming: bool = True) -> None:
        for _ in range(minutes):
            if consuming:
                self._consume()
            self.clock.wait(60)
            self.metrics[0].report(self.clock.now(), used=consuming)
            self.metrics[1].report(self.clock.now(), used=False)

    def _consume(self) -> None:
        """The consumer's own loop over messages that nobody can read: it reports each, and never fails itself."""
        records = [{"messageId": each.id, "body": each.body} for each in self.queue.receive(10)]

        def refuse(body: str) -> Any:
            raise InvalidInputError(f"{body} is no event")

        answer = consume(
            None,  # type: ignore[arg-type] # nothing is stored, so nothing is called
            table="projection",
            records=records,
            parse=refuse,
            backoff=Backoff(lambda: 0, sleep=lambda _: None),
        )
        assert len(answer["batchItemFailures"]) == len(records)
        self.invocation_errors.append(0.0)

    def series(self) -> Series:
        errors = {("AWS/Lambda", "Errors", CONSUMER): self.invocation_errors}
        return {**self.metrics[0].series(), **self.metrics[1].series(), **errors}


def test_message_that_always_fails_fires_the_dead_letter_alarm_and_no_other() -> None:
    delivery = Delivery()
    delivery.queue.send("poison")

    delivery.pass_minutes(30)

    assert len(delivery.dead.messages) == 1
    assert firing(delivery.series()) == {"dead-letters"}
    assert states(alarms()["dead-letters"], delivery.series())[4:7] == [OK, ALARM, ALARM]


def test_alarm_on_messages_sent_never_fires_for_what_sqs_moves() -> None:
    delivery = Delivery()
    delivery.queue.send("poison")
    wrong = alarms()["dead-letters"] | {"metricName": "NumberOfMessagesSent", "statistic": "Sum"}

    delivery.pass_minutes(30)

    assert len(delivery.dead.messages) == 1
    assert ALARM not in states(wrong, delivery.series())


def test_dead_letter_that_nobody_touches_for_a_day_keeps_its_alarm() -> None:
    delivery = Delivery()
    delivery.queue.send("poison")
    ended_by_silence = alarms()["dead-letters"] | {"treatMissingData": "notBreaching"}

    delivery.pass_minutes(DAY)

    assert delivery.metrics[1].depths[-1] is None
    assert states(alarms()["dead-letters"], delivery.series())[-1] == ALARM
    assert states(ended_by_silence, delivery.series())[-1] == OK


def test_redrive_ends_the_dead_letter_alarm() -> None:
    delivery = Delivery()
    delivery.queue.send("poison")
    delivery.pass_minutes(10)

    delivery.dead.messages.clear()  # moved back, and after the repair consumed at once
    delivery.pass_minutes(1)

    assert states(alarms()["dead-letters"], delivery.series())[-2:] == [ALARM, OK]


def test_consumer_that_is_off_fires_the_oldest_message_alarm_until_the_queue_is_empty() -> None:
    delivery = Delivery()
    delivery.pass_minutes(1)
    delivery.queue.send("event")
    delivery.pass_minutes(15, consuming=False)

    delivery.queue.messages.clear()  # on again: consumed at once
    delivery.pass_minutes(1)

    found = states(alarms()["oldest-message"], delivery.series())
    assert firing(delivery.series()) == {"oldest-message"}
    assert found == [OK] * 10 + [ALARM] * 6 + [OK]


def test_relay_that_cannot_send_fires_the_stream_alarm_between_its_attempts_too() -> None:
    ages = [1.0, None, 30e3, None, None, 400e3, 700e3, None, None, None, 900e3, None, 2e3, None]

    series: Series = {("AWS/Lambda", "IteratorAge", RELAY): ages}

    found = states(alarms()["stream-age"], series)
    assert firing(series) == {"stream-age"}
    assert found == [OK] * 6 + [ALARM] * 6 + [OK] * 2


def test_relay_that_is_off_fires_no_alarm_which_is_what_the_runbook_says() -> None:
    commands: list[float | None] = [1.0] * DAY

    series: Series = {("AWS/Lambda", "Invocations", "orders-command-function-1a2b3c4"): commands}

    assert firing(series) == set()
    assert states(alarms()["stream-age"], series)[-1] == INSUFFICIENT_DATA


def test_reconciler_that_does_not_run_fires_its_alarm() -> None:
    silent: Series = {("AWS/Lambda", "Invocations", RECONCILER): [1.0, *[None] * (3 * HOUR)]}

    assert firing(silent) == {"reconciler-silent"}


@pytest.mark.parametrize(
    ("metric", "alarm"),
    [
        (heal.HEALED_METRIC, "reconciler-healed"),
        (heal.PARKED_METRIC, "reconciler-parked"),
        (heal.CONFLICTING_METRIC, "reconciler-conflicting"),
    ],
)
def test_finding_of_the_reconciler_fires_its_alarm(metric: str, alarm: str) -> None:
    found: Series = {(log.METRIC_NAMESPACE, metric, RECONCILER): [0.0] * 5 + [2.0] + [0.0] * 60}

    assert firing(found) == {alarm}


def test_parked_event_fires_its_alarm_for_five_minutes(capsys: pytest.CaptureFixture[str]) -> None:
    log.parked("order-created:a", "its body is missing", function_name=RELAY)

    written = json.loads(capsys.readouterr().out.splitlines()[-1])
    (directive,) = written["_aws"]["CloudWatchMetrics"]
    ((dimension,),) = directive["Dimensions"]
    (metric,) = directive["Metrics"]
    count = written[metric["Name"]]
    series: Series = {(directive["Namespace"], metric["Name"], written[dimension]): [count, *[None] * 7]}
    assert firing(series) == {"relay-parked"}
    assert states(alarms()["relay-parked"], series) == [ALARM] * 5 + [OK] * 3


@pytest.mark.parametrize(
    ("metric", "name", "at_rest", "too_many", "alarm"),
    [
        ("Errors", "orders-command-function-1a2b3c4", 1.0, 2.0, "command-errors"),
        ("Errors", RELAY, 0.0, 1.0, "relay-errors"),
        ("Errors", CONSUMER, 0.0, 1.0, "consumer-errors"),
        ("Throttles", "orders-command-function-1a2b3c4", 1.0, 2.0, "command-throttles"),
        ("Throttles", RELAY, 1.0, 2.0, "relay-throttles"),
        ("Throttles", CONSUMER, 1.0, 2.0, "consumer-throttles"),
        ("Errors", RECONCILER, 0.0, 1.0, "reconciler-errors"),
        ("Throttles", RECONCILER, 0.0, 1.0, "reconciler-throttles"),
    ],
)
def test_failed_or_throttled_invocations_fire_the_alarm_of_their_function_when_there_are_many(
    metric: str, name: str, at_rest: float, too_many: float, alarm: str
) -> None:
    few: Series = {("AWS/Lambda", metric, name): [at_rest] * HOUR}
    many: Series = {("AWS/Lambda", metric, name): [*[too_many] * 5, *[None] * 5]}

    assert firing(few) == set()
    assert firing(many) == {alarm}
    assert states(alarms()[alarm], many)[-1] == OK


def test_batches_given_up_fire_the_alarm_of_the_failure_queue() -> None:
    depth: list[float | None] = [0.0, 1.0, 1.0, None, None, 0.0]

    series: Series = {
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "orders-relay-failures-1a2b3c4"): depth
    }

    assert firing(series) == {"relay-failures"}
    assert states(alarms()["relay-failures"], series) == [OK, *[ALARM] * 4, OK]
