"""Lifetimes of rows and markers, switched in any order over a running system: no event counts twice or is lost."""

import contextlib
import io
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

import orders
from outbox.commit import commit
from outbox.consume import consume
from outbox.forward import forward
from outbox.retry import Backoff
from outbox.rows import RowOptions
from outbox_cli.dead_letters.redrive import move
from outbox_cli.reconcile.search import reconcile
from outbox_local.event_sources.events import queue_record
from tools.simulation.sqs import Queue
from tools.soak.system import (
    DEAD_LETTER_RETENTION_SECONDS,
    DELIVERY_QUEUE,
    PROJECTION_TABLE,
    QUEUE_RETENTION_SECONDS,
    SOURCE_TABLE,
    System,
    SystemSettings,
)

DAY_SECONDS = 86_400
# The least that the components accept: the rows' recovery horizon; both retentions and a day.
ROWS_LEAST = 16 * DAY_SECONDS
MARKERS_LEAST = QUEUE_RETENTION_SECONDS + DEAD_LETTER_RETENTION_SECONDS + DAY_SECONDS
WAITS_SECONDS = (600, DAY_SECONDS, 5 * DAY_SECONDS, 17 * DAY_SECONDS, 40 * DAY_SECONDS)


class Lifetimes(RuleBasedStateMachine):
    """Commands, relay, consumer and people on a simulated system whose settings change."""

    stored: Bundle[str] = Bundle("stored")

    def __init__(self) -> None:
        super().__init__()
        self.system = System(SystemSettings())
        self.row_seconds = 0
        self.marker_seconds = 0
        self.accepted: dict[str, int] = {}
        self.applied: Counter[str] = Counter()
        self.ended: set[str] = set()

    # What is deployed.

    @rule(seconds=st.sampled_from([0, ROWS_LEAST, 30 * DAY_SECONDS, 90 * DAY_SECONDS]))
    def switch_rows(self, seconds: int) -> None:
        self.row_seconds = seconds

    @rule(seconds=st.sampled_from([0, MARKERS_LEAST, 2 * MARKERS_LEAST]))
    def switch_markers(self, seconds: int) -> None:
        self.marker_seconds = seconds

    # What happens.

    @rule(target=stored)
    def accept(self) -> str:
        order = orders.Order(f"order-{len(self.accepted)}", 100)
        options = RowOptions(lifetime_seconds=self.row_seconds)
        commit(
            self.system.client("dynamodb"),
            table=SOURCE_TABLE,
            state=orders.state_of(order),
            event=options.on(orders.event_of(order), self.system.clock.now()),
            request_fields=orders.REQUEST_FIELDS,
            backoff=self._backoff(),
        )
        self.accepted[order.order_id] = order.amount_cents
        return orders.event_id_of(order.order_id)

    @rule(event_id=stored, is_old=st.booleans())
    def relay(self, event_id: str, is_old: bool) -> None:
        """The stream's record, perhaps once more; a relay of the version before sends no headers."""
        row = self.system.source.items.get((f"OUTBOX#{event_id}", "EVENT"))
        if row is None:
            return
        if is_old:
            self.system.queue.send(row["body"]["S"])
            return
        record = {
            "eventName": "INSERT",
            "dynamodb": {"SequenceNumber": "1", "NewImage": row},
        }
        with contextlib.redirect_stdout(io.StringIO()):
            forward(
                self.system.client("sqs"),
                queue_urls=[DELIVERY_QUEUE],
                records=[record],
                backoff=self._backoff(),
                function_name="relay",
            )

    @rule(is_old=st.booleans(), is_acknowledged=st.booleans())
    def consume(self, is_old: bool, is_acknowledged: bool) -> None:
        """A consumer of the version before gives its markers no end here: its lifetime was never on."""
        self._deliver(0 if is_old else self.marker_seconds, is_acknowledged=is_acknowledged)

    @rule()
    def dead_letter(self) -> None:
        for message in list(self.system.queue.messages.values()):
            del self.system.queue.messages[message.id]
            self.system.dead_letters.take(message)

    @rule()
    def redrive(self) -> None:
        move(self.system.stack(), 500, sleep=lambda _: None)

    @rule()
    def reconcile(self) -> None:
        reconcile(self.system.stack(), send=True, segments=1, now=self.system.clock.now)

    @rule(event_id=stored)
    def send_by_hand(self, event_id: str) -> None:
        """As somebody's own tool does it, while the row is there: the body without headers."""
        if row := self.system.source.items.get((f"OUTBOX#{event_id}", "EVENT")):
            self.system.queue.send(row["body"]["S"])

    @rule(seconds=st.sampled_from(WAITS_SECONDS), is_deleted=st.booleans())
    def wait(self, seconds: int, is_deleted: bool) -> None:
        """Time passes; DynamoDB deletes what has expired at once, or not yet."""
        self.system.clock.wait(seconds)
        for table in (self.system.source, self.system.projection) if is_deleted else ():
            for key, item in list(table.items.items()):
                if "expires_at" in item and int(item["expires_at"]["N"]) < self.system.clock.now():
                    del table.items[key]
                    if key[0].startswith("OUTBOX#"):
                        self.ended.add(key[0].removeprefix("OUTBOX#"))

    @invariant()
    def no_event_counts_twice(self) -> None:
        assert all(count == 1 for count in self.applied.values()), self.applied

    def teardown(self) -> None:
        """In the end each event whose row has not ended counts once."""
        self.redrive()
        self.consume(is_old=False, is_acknowledged=True)
        self.reconcile()
        self.consume(is_old=False, is_acknowledged=True)
        rows = {
            key[0].removeprefix("OUTBOX#")
            for key, item in self.system.source.items.items()
            if key[0].startswith("OUTBOX#")
            and int(item.get("expires_at", {"N": "99999999999"})["N"]) > self.system.clock.now()
        }
        assert rows <= self.applied.keys()
        self.no_event_counts_twice()

    def _deliver(self, marker_seconds: int, *, is_acknowledged: bool) -> None:
        queue: Queue = self.system.queue
        while found := queue.receive(10):
            records = [
                queue_record(_answered(message), source_arn="queue", region="nowhere") for message in found
            ]
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                consume(
                    self.system.client("dynamodb"),
                    table=PROJECTION_TABLE,
                    records=records,
                    parse=orders.sales().parse,
                    backoff=self._backoff(),
                    marker_lifetime_seconds=marker_seconds,
                    now=self.system.clock.now,
                )
            words = [line.split() for line in said.getvalue().splitlines()]
            self.applied.update(each[1] for each in words if each[0] == "APPLIED")
            for message in found:
                if is_acknowledged:
                    queue.delete(message.receipt_handle)

    def _backoff(self) -> Backoff:
        return Backoff(lambda: 10.0, lambda _: None, lambda: 0.0)


def _answered(message: Any) -> dict[str, Any]:
    """A message as ReceiveMessage answers it."""
    return {
        "MessageId": message.id,
        "ReceiptHandle": message.receipt_handle,
        "Body": message.body,
        "MD5OfBody": "",
        "MessageAttributes": message.attributes or {},
    }


class EndsEveryMarker(Lifetimes):
    """The same system before headers: with a lifetime set, every marker ends so long after it was stored."""

    def _deliver(self, marker_seconds: int, *, is_acknowledged: bool) -> None:
        parse = orders.sales().parse

        def ending(body: str) -> Any:
            end = int(self.system.clock.now()) + marker_seconds
            return replace(parse(body), expires_at=end) if marker_seconds else parse(body)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(orders, "sales", lambda: type("Sales", (), {"parse": staticmethod(ending)}))
            super()._deliver(0, is_acknowledged=is_acknowledged)


def _run(machine: type[RuleBasedStateMachine], examples: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=25,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_lifetimes_switched_in_any_order_count_no_event_twice_and_lose_none() -> None:
    _run(Lifetimes, 100)


@pytest.mark.thorough
def test_lifetimes_switched_in_many_more_orders_count_no_event_twice_and_lose_none() -> None:
    _run(Lifetimes, 3_000)


def _stored_before_lifetimes_were_switched_on(system: Lifetimes) -> None:
    event_id = system.accept()
    system.switch_rows(ROWS_LEAST)
    system.switch_markers(MARKERS_LEAST)
    system.relay(event_id, is_old=False)
    system.consume(is_old=False, is_acknowledged=True)
    system.wait(40 * DAY_SECONDS, is_deleted=True)
    system.reconcile()
    system.consume(is_old=False, is_acknowledged=True)
    system.no_event_counts_twice()


def test_event_stored_before_lifetimes_were_switched_on_counts_once() -> None:
    _stored_before_lifetimes_were_switched_on(Lifetimes())


def test_same_event_would_count_twice_if_its_marker_ended_without_its_row() -> None:
    with pytest.raises(AssertionError, match="order-created:order-0"):
        _stored_before_lifetimes_were_switched_on(EndsEveryMarker())
