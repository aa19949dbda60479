"""Errors of domain code that are broken themselves: told as far as they can be, and of their own message alone."""

from typing import Any

import pytest

import orders
from outbox import log
from outbox.events import EventType, Projection
from outbox.transaction import IncomingEvent
from tests.handlers.support import deliver, messages, order_body, total

BAD, GOOD = '{"event_id": "bad", "type": "bad"}', order_body("a", 1)


class WordlessError(Exception):
    """An error that raises when it is asked for its words."""

    def __str__(self) -> str:
        raise WordlessError


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("is_projection", [False, True])
def test_domain_code_whose_error_has_no_words_fails_its_event_alone(
    dynamodb: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    as_json: bool,
    is_projection: bool,
) -> None:
    def raise_wordless(_: Any) -> Any:
        raise WordlessError

    monkeypatch.setattr(log, "WRITES_JSON", as_json)
    projection = Projection({EventType("bad", {}): raise_wordless})

    def parse(body: str) -> IncomingEvent:
        if body == GOOD:
            return orders.sales().parse(body)
        parsed: IncomingEvent = projection.parse(body) if is_projection else raise_wordless(body)
        return parsed

    reported = deliver(dynamodb, messages(BAD, GOOD), parse=parse)

    assert (reported, total(dynamodb)) == (["m-1"], (1, 1))
    said, traceback = capsys.readouterr()
    assert ("RETRY DomainCodeError: bad of" if is_projection else "RETRY WordlessError: ") in said
    assert "WordlessError" in traceback
