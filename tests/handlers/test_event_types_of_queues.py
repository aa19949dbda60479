"""Queues that want some types of events alone: relay, reconciler and settings."""

import json
from collections import defaultdict
from typing import Any

import pytest

from outbox.errors import SettingError
from outbox.forward import forward
from outbox.settings import event_types, queue_types
from tests.handlers.reconciling import Stored
from tests.handlers.support import Clock, inserts

ALL, ORDERS, SHIPPED = "https://q.test/all", "https://q.test/orders", "https://q.test/shipped"
TYPES = {ORDERS: {"OrderCreated"}, SHIPPED: {"OrderShipped", "OrderReturned"}}


def body(kind: str) -> str:
    return json.dumps({"event_id": "e", "type": kind})


class Queues:
    """SQS that takes what it is sent, but for the queues that are down."""

    def __init__(self, *down: str) -> None:
        self.down = down
        self.sent: defaultdict[str, list[str]] = defaultdict(list)

    def send_message_batch(self, QueueUrl: str, Entries: list[dict[str, Any]]) -> Any:  # noqa: N803 - boto3's
        if QueueUrl in self.down:
            return {"Failed": [{"Id": each["Id"], "SenderFault": False} for each in Entries]}
        self.sent[QueueUrl] += [each["MessageBody"] for each in Entries]
        return {"Successful": [{"Id": each["Id"]} for each in Entries]}


def forwarded(queues: Any, *bodies: str, urls: tuple[str, ...] = (ALL, ORDERS, SHIPPED)) -> list[str]:
    answer = forward(
        queues,
        queue_urls=urls,
        queue_types=TYPES,
        records=inserts(*bodies),
        backoff=Clock(0.0).backoff() if queues.down else Clock().backoff(),
        function_name="relay",
    )
    return [each["itemIdentifier"] for each in answer["batchItemFailures"]]


def test_each_queue_gets_the_types_that_it_wants() -> None:
    queues = Queues()
    created, shipped, nonsense = body("OrderCreated"), body("OrderShipped"), "no JSON"

    assert forwarded(queues, created, shipped, nonsense) == []
    assert queues.sent == {ALL: [created, shipped, nonsense], ORDERS: [created], SHIPPED: [shipped]}


def test_event_that_no_queue_wants_is_named_in_the_log_and_reported_as_done(
    capsys: pytest.CaptureFixture[str],
) -> None:
    queues = Queues()

    reported = forwarded(queues, body("OrderPaid"), urls=(ORDERS, SHIPPED))

    assert (reported, dict(queues.sent)) == ([], {})
    assert capsys.readouterr().out == "UNWANTED e-1 OrderPaid\n"


def test_reconciler_leaves_events_of_other_types_alone() -> None:
    stored = Stored()
    stored.row("order-created:lost", age_minutes=17)

    others = stored.heal(event_types=frozenset({"OrderShipped"}))
    own = stored.heal(event_types=frozenset({"OrderCreated"}))

    assert ((others["rows"], others["healed"]), (own["rows"], own["healed"])) == ((0, 0), (1, 1))


def test_types_are_read_from_the_environment_and_are_all_where_nothing_is_said() -> None:
    given = {"QUEUE_TYPES": json.dumps({ORDERS: ["OrderCreated"]}), "EVENT_TYPES": '["OrderCreated"]'}

    types = frozenset({"OrderCreated"})
    assert (queue_types(given), event_types(given)) == ({ORDERS: types}, types)
    assert (queue_types({}), event_types({})) == ({}, frozenset())


@pytest.mark.parametrize("text", ["OrderCreated", "[5]", '"OrderCreated"', '{"q": "OrderCreated"}'])
def test_types_of_another_form_do_not_let_a_function_start(text: str) -> None:
    with pytest.raises(SettingError, match="QUEUE_TYPES must be a JSON object of lists of event types"):
        queue_types({"QUEUE_TYPES": text})
    with pytest.raises(SettingError, match="EVENT_TYPES must be a JSON list of event types"):
        event_types({"EVENT_TYPES": text})
