"""Which bodies a queue can ever accept."""

import pytest

from outbox.bodies import MAXIMUM_BODY_BYTES, refusal


@pytest.mark.parametrize(
    "body", ["x", "\t\n\r", "é", "\ud7ff\ue000\ufffd", "\U00010000\U0010ffff", "x" * 300_000]
)
def test_body_of_accepted_characters_can_be_sent(body: str) -> None:
    assert refusal(body) is None


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
def test_c11_body_with_refused_character_is_named_by_code_point(character: str) -> None:
    reason = refusal(f"before{character}after")

    assert reason == f"the body has the character U+{ord(character):04X}, which SQS refuses"


def test_c11_empty_body_is_refused() -> None:
    assert refusal("") == "the body is empty"


def test_c10_body_is_measured_in_bytes_not_characters() -> None:
    assert refusal("é" * 600_000) == "the body has 1200000 bytes, SQS accepts 1048576"
    assert refusal("é" * (MAXIMUM_BODY_BYTES // 2)) is None
    assert refusal("é" * (MAXIMUM_BODY_BYTES // 2) + "x") is not None
