"""Many messages at once: one transaction, and each message's own result."""

from typing import Any

import pytest

from tests.handlers.support import (
    Recorder,
    deliver,
    error,
    messages,
    order_body,
    total,
)


def test_batch_of_new_events_is_one_transaction_with_one_merged_total(dynamodb: Any) -> None:
    client = Recorder(dynamodb)
    records = messages(*(order_body(f"o-{n}", n) for n in range(1, 100)))

    reported = deliver(client, records)

    assert reported == []
    assert total(dynamodb) == (99, sum(range(1, 100)))
    [(_, request)] = client.calls
    assert len(request["TransactItems"]) == 100


APPLIED, DUPLICATE = "APPLIED order-created:{}", "DUPLICATE_IGNORED order-created:{}"
CONFLICTING = "RETRY ConflictingContent: order-created:{} was applied before with conflicting content"


@pytest.mark.parametrize(
    ("stored", "received", "said"),
    [
        (
            {"old": 1, "changed": 2},
            [("old", 1), ("new", 10), ("changed", 3), ("newer", 20)],
            [DUPLICATE, APPLIED, CONFLICTING, APPLIED],
        ),
        ({}, [("a", 5), ("b", 7), ("a", 5)], [APPLIED, APPLIED, DUPLICATE]),
        ({}, [("a", 700), ("a", 900), ("b", 1)], [APPLIED, CONFLICTING, APPLIED]),
        ({"a": 900}, [("a", 700), ("a", 900)], [CONFLICTING, DUPLICATE]),
    ],
    ids=["of every kind", "the same twice", "two contents", "two contents of a stored one"],
)
def test_batch_settles_each_event_by_what_is_stored(
    dynamodb: Any,
    capsys: pytest.CaptureFixture[str],
    stored: dict[str, int],
    received: list[tuple[str, int]],
    said: list[str],
) -> None:
    deliver(dynamodb, messages(*(order_body(*each) for each in stored.items())))
    capsys.readouterr()

    reported = deliver(dynamodb, messages(*(order_body(*each) for each in received)))

    outcomes = list(zip(received, said, strict=True))
    applied = [*stored.values(), *(cents for (_, cents), word in outcomes if word is APPLIED)]
    assert reported == [f"m-{n}" for n, word in enumerate(said, start=1) if word is CONFLICTING]
    assert total(dynamodb) == (len(applied), sum(applied))
    assert capsys.readouterr().out.splitlines() == [word.format(name) for (name, _), word in outcomes]


def test_batch_with_the_same_event_twice_fails_both_when_nothing_is_stored(dynamodb: Any) -> None:
    client = Recorder(dynamodb, error("AccessDeniedException"))

    reported = deliver(client, messages(order_body("a"), order_body("a")))

    assert reported == ["m-1", "m-2"]


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
