"""Bytes of log: the constants are what the functions really write."""

from uuid import UUID

import pytest

import orders
from outbox import log
from outbox_cli.cost.consumption import LINE_BYTES, OUTCOMES, REPEATED
from tests.handlers.support import invocation_of_lambda

EVENT_ID = orders.event_of(orders.Order("a" * 40, 1)).event_id
# docs/costs.md names the lines as text, too.
AROUND_A_WORD = {"Text": 56, "JSON": LINE_BYTES}


@pytest.mark.parametrize("word", [*OUTCOMES, REPEATED])
@pytest.mark.parametrize("log_format", AROUND_A_WORD)
def test_line_of_an_outcome_is_as_long_as_the_log_writes_it(
    log_format: str, word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(log, "WRITES_JSON", log_format == "JSON")

    with invocation_of_lambda(str(UUID(int=0))):
        log.line(word, EVENT_ID, event_id=EVENT_ID)

    assert len(capsys.readouterr().out.encode()) == AROUND_A_WORD[log_format] + len(word)
