"""Many messages at once: one transaction, and each message's own result."""

from typing import Any

import pytest

import orders
from tests.handlers.support import (
    CONFLICT,
    Clock,
    Recorder,
    cancelled,
    deliver,
    error,
    message,
    messages,
    order_body,
    total,
    using_time_up,
)


def test_batch_of_new_events_is_one_transaction_with_one_merged_total(dynamodb: Any) -> None:
    client = Recorder(dynamodb)
    records = messages(*(order_body(f"o-{n}", n) for n in range(1, 100)))

    reported = deliver(client, records)

    assert reported == []
    assert total(dynamodb) == (99, sum(range(1, 100)))
    [(_, request)] = client.calls
    assert len(request["TransactItems"]) == 100


def test_batch_beyond_hundred_actions_goes_on_in_a_second_transaction(dynamodb: Any) -> None:
    client = Recorder(dynamodb)
    records = messages(*(order_body(f"o-{n}", n) for n in range(1, 251)))

    reported = deliver(client, records)

    assert reported == []
    assert total(dynamodb) == (250, sum(range(1, 251)))
    assert [len(request["TransactItems"]) for _, request in client.calls] == [100, 100, 53]


def test_batch_with_new_duplicate_and_conflicting_events_settles_each(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    deliver(dynamodb, messages(order_body("old", 1), order_body("changed", 2)))
    capsys.readouterr()

    reported = deliver(
        dynamodb,
        messages(
            order_body("old", 1), order_body("new-1", 10), order_body("changed", 3), order_body("new-2", 20)
        ),
    )

    assert reported == ["m-3"]
    assert total(dynamodb) == (4, 33)
    assert capsys.readouterr().out.splitlines() == [
        "DUPLICATE_IGNORED order-created:old",
        "APPLIED order-created:new-1",
        "RETRY ConflictingContent: order-created:changed was applied before with conflicting content",
        "APPLIED order-created:new-2",
    ]


def test_batch_with_the_same_event_twice_applies_it_once_and_acknowledges_both(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    reported = deliver(dynamodb, messages(order_body("a", 5), order_body("b", 7), order_body("a", 5)))

    assert reported == []
    assert total(dynamodb) == (2, 12)
    assert capsys.readouterr().out.splitlines() == [
        "APPLIED order-created:a",
        "APPLIED order-created:b",
        "DUPLICATE_IGNORED order-created:a",
    ]


def test_batch_with_the_same_event_twice_fails_both_when_nothing_is_stored(dynamodb: Any) -> None:
    client = Recorder(dynamodb, error("AccessDeniedException"))

    reported = deliver(client, messages(order_body("a"), order_body("a")))

    assert reported == ["m-1", "m-2"]


def test_batch_with_one_id_and_two_contents_applies_the_first_and_fails_the_second(dynamodb: Any) -> None:
    reported = deliver(dynamodb, messages(order_body("a", 700), order_body("a", 900), order_body("b", 1)))

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 701)


def test_batch_with_one_id_and_two_contents_asks_the_marker_which_is_the_duplicate(dynamodb: Any) -> None:
    deliver(dynamodb, [message(order_body("a", 900))])

    reported = deliver(dynamodb, messages(order_body("a", 700), order_body("a", 900)))

    assert reported == ["m-1"]
    assert total(dynamodb) == (1, 900)


def test_batch_with_one_marker_refused_fails_alone(dynamodb: Any, capsys: pytest.CaptureFixture[str]) -> None:
    client = Recorder(dynamodb, cancelled("None", "None", "ValidationError", "None"))

    reported = deliver(client, messages(order_body("a", 1), order_body("b", 2), order_body("c", 4)))

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 5)
    refusal = "RETRY EffectRefusedError: order-created:b was refused by DynamoDB: ValidationError"
    assert refusal in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "refusal", [cancelled("None", "ValidationError", "None", "None"), error("ValidationException")]
)
def test_batch_with_a_shared_write_refused_goes_on_with_each_event_alone(
    dynamodb: Any, refusal: Exception
) -> None:
    client = Recorder(dynamodb, refusal, None, cancelled("None", "ValidationError"), None)

    reported = deliver(client, messages(order_body("a", 1), order_body("b", 2), order_body("c", 4)))

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 5)


def test_batch_with_duplicate_and_conflict_retries_the_rest_after_a_pause(dynamodb: Any) -> None:
    deliver(dynamodb, [message(order_body("old", 1))])
    digest = orders.sales().parse(order_body("old", 1)).identity.digest
    marker = {"Code": "ConditionalCheckFailed", "Item": {"digest": {"S": digest}}}
    client = Recorder(dynamodb, cancelled(marker, CONFLICT, "None"))
    clock = Clock()

    reported = deliver(client, messages(order_body("old", 1), order_body("new", 2)), clock)

    assert reported == []
    assert total(dynamodb) == (2, 3)
    assert clock.pauses == [0.025]


def test_batch_with_time_used_up_keeps_what_is_settled_and_reports_the_rest(dynamodb: Any) -> None:
    records = messages(*(order_body(f"o-{n}", n) for n in range(1, 151)))
    clock = Clock()
    client = Recorder(
        dynamodb, default=using_time_up(clock, lambda request: dynamodb.transact_write_items(**request))
    )

    first = deliver(client, records, clock)
    second = deliver(client, [record for record in records if record["messageId"] in first])

    assert first == [f"m-{n}" for n in range(100, 151)]
    assert second == []
    assert total(dynamodb) == (150, sum(range(1, 151)))


def test_batch_with_the_injected_fault_fails_only_that_message_and_counts_all(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    records = messages(order_body("order-a", 1000), order_body("order-b", 2500), order_body("order-c", 1))

    first = deliver(dynamodb, records, fault_event_id="order-created:order-b")
    again = deliver(dynamodb, [records[1]], fault_event_id="order-created:order-b")
    healed = deliver(dynamodb, [records[1]])

    assert (first, again, healed) == (["m-2"], ["m-2"], [])
    assert total(dynamodb) == (3, 3501)
    assert capsys.readouterr().out.splitlines() == [
        "APPLIED order-created:order-a",
        "APPLIED order-created:order-b",
        "RETRY RuntimeError: INJECTED_AFTER_COMMIT order-created:order-b",
        "APPLIED order-created:order-c",
        "DUPLICATE_IGNORED order-created:order-b",
        "RETRY RuntimeError: INJECTED_AFTER_COMMIT order-created:order-b",
        "DUPLICATE_IGNORED order-created:order-b",
    ]
