"""A trace names an event that no queue of the relay wants, and not as one that was lost."""

from outbox_cli.trace.facts import EventFacts, LogLine
from outbox_cli.trace.timeline import timeline_of


def test_event_whose_type_no_queue_wants_is_named_so() -> None:
    row = {"kind": "OUTBOX", "body": "{}"}
    facts = EventFacts("e", row, None, [LogLine("relay", 0, "UNWANTED e OrderPaid")], {}, 1000)

    assert timeline_of(facts).verdict.startswith("Stored; no queue of the relay wants events of its type")
