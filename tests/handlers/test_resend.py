"""Resent events: each is accounted for, whichever call fails."""

from typing import Any

import pytest

from outbox.reconcile import Resent, resend
from outbox.sending import MAXIMUM_ENTRIES, StoredEvent
from tests.handlers.support import Clock, Recorder, error, send_answer

EVENTS = [StoredEvent(f"e-{number}", f"body {number}", None) for number in range(MAXIMUM_ENTRIES + 2)]
IDS = [event.event_id for event in EVENTS]


@pytest.mark.parametrize("calls_before", [0, 1])
def test_resend_with_a_failing_call_makes_no_other_and_names_what_is_unsent(calls_before: int) -> None:
    client: Any = Recorder(None, *[send_answer] * calls_before, error("AccessDenied"))

    resent = resend(client, "url", EVENTS, Clock().backoff())

    sent = MAXIMUM_ENTRIES * calls_before
    assert len(client.calls) == calls_before + 1
    assert (resent.sent, list(resent.unsent), resent.refused) == (IDS[:sent], IDS[sent:], {})
    assert all("AccessDenied" in cause for cause in resent.unsent.values())


def test_resend_of_events_that_are_all_accepted_leaves_none_unsent() -> None:
    client: Any = Recorder(None, default=send_answer)

    resent = resend(client, "url", EVENTS, Clock().backoff())

    assert resent == Resent(sent=IDS)
