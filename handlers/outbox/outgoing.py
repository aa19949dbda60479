"""An event that can be stored and sent, known before anything is committed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from outbox.bodies import refusal
from outbox.errors import InvalidInputError
from outbox.items import MAXIMUM_ITEM_BYTES, Item, outbox_row, require_event_id, text_bytes


@dataclass(frozen=True)
class OutgoingEvent:
    """An event to store: the identity consumers dedupe by, and the exact text to send.

    Raises:
        InvalidInputError: The id is none that a consumer takes, the body could never be sent, or the row never stored.
    """

    event_id: str
    body: str
    extras: Mapping[str, str | int] = field(default_factory=dict)
    """Further attributes of its row: see `outbox.rows`."""

    def __post_init__(self) -> None:
        require_event_id(self.event_id)
        problem = refusal(self.body)
        if problem:
            raise InvalidInputError(f"Event {self.event_id} cannot be sent: {problem}.")
        self.row()

    def row(self, request_digest: str | None = None) -> Item:
        """The outbox row that is stored with the state, and with the digest of the request if there is one.

        Raises:
            InvalidInputError: DynamoDB would refuse a row of this size.
        """
        row = {**outbox_row(self.event_id, self.body), **self.extras}
        if request_digest is not None:
            row["request_digest"] = request_digest
        size = text_bytes(row)
        if size > MAXIMUM_ITEM_BYTES:
            raise InvalidInputError(
                f"Event {self.event_id} cannot be stored: its outbox row would have {size} bytes, "
                f"DynamoDB accepts {MAXIMUM_ITEM_BYTES}. Send a reference instead of the content."
            )
        return row
