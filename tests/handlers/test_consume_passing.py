"""A whole call that failed in passing is made again at once: it costs no message a delivery."""

from typing import Any

import pytest

from outbox.retry import RESERVE_SECONDS
from tests.handlers.support import Clock, Recorder, deliver, error, messages, order_body, total

PASSING_CALLS = [
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "TransactionInProgressException",
    "InternalServerError",
    "ServiceUnavailable",
]


@pytest.mark.parametrize("code", PASSING_CALLS)
def test_a5_consume_after_a_call_that_failed_in_passing_sends_the_same_again_in_the_same_delivery(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    clock = Clock()
    client = Recorder(dynamodb, error(code), error(code))
    batch = messages(*(order_body(f"o-{n}", n) for n in range(1, 100)))

    reported = deliver(client, batch, clock)

    assert reported == []
    assert total(dynamodb) == (99, sum(range(1, 100)))
    assert clock.pauses == [0.025, 0.05]
    assert client.calls[0] == client.calls[1] == client.calls[2]
    assert capsys.readouterr().out.count("APPLIED") == 99


def test_a5_consume_after_a_stored_transaction_answered_by_an_error_meets_its_own_markers(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def store_then_fail(request: Any) -> None:
        dynamodb.transact_write_items(**request)
        raise error("InternalServerError")

    reported = deliver(Recorder(dynamodb, store_then_fail), messages(order_body("a", 1), order_body("b", 2)))

    assert (reported, total(dynamodb)) == ([], (2, 3))
    assert capsys.readouterr().out.count("DUPLICATE_IGNORED") == 2


def test_a5_consume_with_throttling_without_end_reports_inside_the_invocation(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    client = Recorder(dynamodb, default=error("ThrottlingException"))

    reported = deliver(client, messages(order_body("a"), order_body("b")), clock)

    assert reported == ["m-1", "m-2"]
    assert RESERVE_SECONDS <= clock.remaining < RESERVE_SECONDS + 1
    assert "order-created:a is not known to be stored: ThrottlingException" in capsys.readouterr().out
