"""Events that a consumer publishes: marker, effects and the next event's outbox row are one transaction.

The projection table is then a source for further consumers: its stream feeds a relay of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from outbox.effects import Put
from outbox.events import Event
from outbox.outgoing import OutgoingEvent
from outbox.rows import RowOptions, as_stored_now
from outbox.tracing import TRACEPARENT

CORRELATION_ID = "correlation_id"
CAUSATION_ID = "causation_id"


def publish(event: OutgoingEvent, row_options: RowOptions | None = None) -> Put:
    """The effect that stores an event to be sent, with what its row carries.

    Its id must follow from the event that causes it, such as `invoice-due:<order>`: a redelivery then meets the marker
    of the cause, and nothing is stored twice. An id that is stored already refuses the cause.

    Args:
        event: what to publish.
        row_options: what the row carries; without them, the settings of the function's component say it.

    Raises:
        InvalidInputError: The row would be too large.
        SettingError: The environment has a setting that is no whole number.
    """
    return Put(as_stored_now(event, row_options).row())


def caused_by(cause: Event, headers: Mapping[str, str] | None = None) -> dict[str, str]:
    """Headers that tell of an event's cause, and of the first event of the chain, beside others.

    `causation_id` is the id of the cause; `correlation_id` is the cause's own, or its id where it has none. A trace
    goes on.
    """
    trace = {TRACEPARENT: cause.headers[TRACEPARENT]} if TRACEPARENT in cause.headers else {}
    return {
        **trace,
        CORRELATION_ID: cause.headers.get(CORRELATION_ID, cause.event_id),
        CAUSATION_ID: cause.event_id,
        **(headers or {}),
    }
