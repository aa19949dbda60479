"""An event that can be stored and sent, known before anything is committed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from outbox.bodies import refusal
from outbox.errors import InvalidInputError
from outbox.headers import HEADERS, require_headers
from outbox.items import MAXIMUM_ITEM_BYTES, Item, outbox_row, require_event_id, text_bytes


@dataclass(frozen=True)
class OutgoingEvent:
    """An event to store: the identity consumers dedupe by, the exact text to send, and headers beside it.

    Raises:
        InvalidInputError: No consumer takes the id, body or headers could never be sent, or the row never stored.
    """

    event_id: str
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Texts to send beside the body: see `outbox.headers`."""
    extras: Mapping[str, str | int] = field(default_factory=dict)
    """Further attributes of its row: see `outbox.rows`."""

    def __post_init__(self) -> None:
        require_event_id(self.event_id)
        problem = refusal(self.body)
        if problem:
            raise InvalidInputError(f"Event {self.event_id} cannot be sent: {problem}.")
        require_headers(self.event_id, self.body, self.headers)
        self.row()

    def row(self, request_digest: str | None = None) -> Item:
        """The outbox row that is stored with the state, and with the digest of the request if there is one.

        Raises:
            InvalidInputError: DynamoDB would refuse a row of this size.
        """
        row = {**outbox_row(self.event_id, self.body), **self.extras}
        if self.headers:
            row[HEADERS] = dict(self.headers)
        if request_digest is not None:
            row["request_digest"] = request_digest
        size = text_bytes(row)
        if size > MAXIMUM_ITEM_BYTES:
            raise InvalidInputError(
                f"Event {self.event_id} cannot be stored: its outbox row would have {size} bytes, "
                f"DynamoDB accepts {MAXIMUM_ITEM_BYTES}. Send a reference instead of the content."
            )
        return row
