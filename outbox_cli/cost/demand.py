"""The question of `outbox capacity`: how many events, how large, how often repeated."""

from dataclasses import dataclass
from decimal import Decimal

from outbox_cli.cost.event_units import OUTBOX_ATTRIBUTES_BYTES, WALKTHROUGH_PAYLOAD_BYTES
from outbox_cli.cost.service_limits import MAXIMUM_ITEM_BYTES
from outbox_cli.errors import OperatorError

MAXIMUM_EVENTS_PER_SECOND = 1_000_000_000
MAXIMUM_PAYLOAD_BYTES = MAXIMUM_ITEM_BYTES - OUTBOX_ATTRIBUTES_BYTES


class InvalidDemandError(OperatorError):
    """Raised when no plan can be made for what was asked."""


@dataclass(frozen=True, kw_only=True)
class Demand:
    """The question: a steady rate, the size of an event's body, and repeated deliveries for each event.

    Raises:
        InvalidDemandError: A value is out of its range.
    """

    events_per_second: Decimal
    payload_bytes: int = WALKTHROUGH_PAYLOAD_BYTES
    duplicates: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not 0 < self.events_per_second <= MAXIMUM_EVENTS_PER_SECOND:
            raise InvalidDemandError(
                f"events-per-second must be above 0 and at most {MAXIMUM_EVENTS_PER_SECOND:,}, "
                f"but is {self.events_per_second}. Give the rate at your busiest time."
            )
        if not 1 <= self.payload_bytes <= MAXIMUM_PAYLOAD_BYTES:
            raise InvalidDemandError(
                f"payload-bytes must be 1 to {MAXIMUM_PAYLOAD_BYTES:,}, but is {self.payload_bytes}: "
                f"an outbox item with its keys has at most {MAXIMUM_ITEM_BYTES:,} bytes in DynamoDB. "
                "Send a reference to larger content."
            )
        if not 0 <= self.duplicates <= 1:
            raise InvalidDemandError(
                f"duplicates must be 0 to 1, but is {self.duplicates}. It is the repeated deliveries for each event: "
                "0.01 means that one event in a hundred is delivered twice."
            )
