"""An event to store: what can never be stored or sent is refused when it is made."""

import pytest

from outbox.bodies import MAXIMUM_BODY_BYTES, refusal
from outbox.errors import InvalidInputError
from outbox.outgoing import OutgoingEvent


def test_event_too_long_for_a_message_is_refused_before_any_call() -> None:
    with pytest.raises(InvalidInputError, match=r"e-1 cannot be sent: the body has 1200000 bytes"):
        OutgoingEvent("e-1", "é" * 600_000)


def test_event_is_accepted_up_to_the_item_limit_in_bytes() -> None:
    texts = ["PK", "OUTBOX#e-1", "SK", "EVENT", "kind", "OUTBOX", "event_id", "e-1", "body"]
    largest = 409_600 - sum(map(len, texts))

    OutgoingEvent("e-1", "x" * 300_000)
    OutgoingEvent("e-1", "x" * largest)
    with pytest.raises(
        InvalidInputError, match=r"outbox row would have 409601 bytes, DynamoDB accepts 409600"
    ):
        OutgoingEvent("e-1", "x" * (largest - 1) + "é")


@pytest.mark.parametrize("body", ["", "\x07"])
def test_event_with_refused_body_is_refused_before_any_call(body: str) -> None:
    with pytest.raises(InvalidInputError, match="e-1 cannot be sent: the body"):
        OutgoingEvent("e-1", body)


@pytest.mark.parametrize(
    "body", ["x", "\t\n\r", "é", "\ud7ff\ue000\ufffd", "\U00010000\U0010ffff", "x" * 300_000]
)
def test_body_of_accepted_characters_can_be_sent(body: str) -> None:
    assert refusal(body) is None


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
def test_body_with_refused_character_is_named_by_code_point(character: str) -> None:
    reason = refusal(f"before{character}after")

    assert reason == f"the body has the character U+{ord(character):04X}, which SQS refuses"


def test_empty_body_is_refused() -> None:
    assert refusal("") == "the body is empty"


def test_body_is_measured_in_bytes_not_characters() -> None:
    assert refusal("é" * 600_000) == "the body has 1200000 bytes, SQS accepts 1048576"
    assert refusal("é" * (MAXIMUM_BODY_BYTES // 2)) is None
    assert refusal("é" * (MAXIMUM_BODY_BYTES // 2) + "x") is not None
