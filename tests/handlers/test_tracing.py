"""A trace goes on: from the caller or the function's own invocation to the row, the message and the next event."""

from typing import Any

import pytest

from outbox.events import Event
from outbox.publish import caused_by
from outbox.sending import StoredEvent
from outbox.tracing import trace_headers, xray_header

OWN = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
TRACEPARENT = "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01"


def test_functions_own_trace_is_continued_where_the_caller_has_none() -> None:
    assert trace_headers(environment={"_X_AMZN_TRACE_ID": OWN}) == {"traceparent": TRACEPARENT}


def test_callers_trace_goes_before_the_functions_own() -> None:
    given = TRACEPARENT.replace("5759", "aaaa")

    assert trace_headers(given, {"_X_AMZN_TRACE_ID": OWN}) == {"traceparent": given}


@pytest.mark.parametrize(
    "given",
    [
        None,
        5,
        "",
        "00-1-2-01",
        f"01{TRACEPARENT[2:]}",
        f"00-{'0' * 32}-53995c3f42cd8ad8-01",
        TRACEPARENT.upper(),
    ],
)
def test_trace_of_another_form_is_none(given: Any) -> None:
    assert trace_headers(given, {}) == {}
    assert xray_header({"traceparent": str(given)}) is None


@pytest.mark.parametrize(
    "own", ["Root=1-5759e988-bd862e3fe1be46a994272793", "Sampled=0", "Root=rubbish;Parent=x"]
)
def test_own_trace_without_a_parent_is_none(own: str) -> None:
    assert trace_headers(None, {"_X_AMZN_TRACE_ID": own}) == {}


def test_message_with_a_traceparent_has_the_header_of_xray_too() -> None:
    with_trace = StoredEvent("e", "{}", None, headers={"traceparent": TRACEPARENT}).entry("0")
    without = StoredEvent("e", "{}", None, headers={"tenant": "a"}).entry("0")

    header = {"DataType": "String", "StringValue": OWN}
    assert with_trace["MessageSystemAttributes"] == {"AWSTraceHeader": header}
    assert "MessageSystemAttributes" not in without


def test_published_event_continues_the_trace_of_its_cause() -> None:
    cause = Event("order-created:a", {}, {"traceparent": TRACEPARENT, "correlation_id": "c-1"})

    assert caused_by(cause, {"tenant": "a"}) == {
        "traceparent": TRACEPARENT,
        "correlation_id": "c-1",
        "causation_id": "order-created:a",
        "tenant": "a",
    }
