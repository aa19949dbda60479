"""An event to store: what can never be stored or sent is refused when it is made."""

import pytest

from outbox.errors import InvalidInputError
from outbox.outgoing import OutgoingEvent


def test_c10_event_too_long_for_a_message_is_refused_before_any_call() -> None:
    with pytest.raises(InvalidInputError, match=r"e-1 cannot be sent: the body has 1200000 bytes"):
        OutgoingEvent("e-1", "é" * 600_000)


def test_c10_event_is_accepted_up_to_the_item_limit_in_bytes() -> None:
    texts = ["PK", "OUTBOX#e-1", "SK", "EVENT", "kind", "OUTBOX", "event_id", "e-1", "body"]
    largest = 409_600 - sum(map(len, texts))

    OutgoingEvent("e-1", "x" * 300_000)
    OutgoingEvent("e-1", "x" * largest)
    with pytest.raises(
        InvalidInputError, match=r"outbox row would have 409601 bytes, DynamoDB accepts 409600"
    ):
        OutgoingEvent("e-1", "x" * (largest - 1) + "é")


@pytest.mark.parametrize("body", ["", "\x07", "\uffff", "\ud800"])
def test_c11_event_with_refused_body_is_refused_before_any_call(body: str) -> None:
    with pytest.raises(InvalidInputError, match="e-1 cannot be sent: the body"):
        OutgoingEvent("e-1", body)
