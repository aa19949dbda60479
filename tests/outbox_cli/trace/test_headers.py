"""A trace shows the headers of its event's row: which event caused it, and where the chain began."""

from typing import Any

import pytest

from outbox_cli.shown import Screen
from outbox_cli.trace.facts import EventFacts
from outbox_cli.trace.page import timeline_page
from outbox_cli.trace.timeline import timeline_as_json, timeline_of
from outbox_cli.trace.view import timeline_view

CAUSE = {"correlation_id": "order-created:a", "causation_id": "order-created:a"}


def timeline(headers: Any) -> Any:
    row = {"kind": "OUTBOX", "body": "{}", "headers": headers}
    return timeline_of(EventFacts("invoice-due:a", row, None, [], {}, 1000))


def test_headers_are_in_the_text_in_json_and_on_the_page() -> None:
    found = timeline(CAUSE)
    screen = Screen(record=True, width=80)
    screen.print(timeline_view(found))

    assert "causation_id: order-created:a" in screen.export_text()
    assert timeline_as_json(found)["headers"] == CAUSE
    assert "<p>causation_id: order-created:a</p>" in timeline_page(found)


@pytest.mark.parametrize("headers", [None, "text", ["a"], {"number": 5}])
def test_headers_of_another_form_are_none(headers: Any) -> None:
    assert timeline(headers).headers == {}
