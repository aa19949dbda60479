"""The inventory as the operator's verbs know it."""

from inventory import LEVELS, RESERVATION, RESERVED
from outbox.domain import Domain

DOMAIN = Domain(
    "inventory",
    command=RESERVATION,
    event_of=lambda command: RESERVED.event(f"stock-reserved:{command['reservation_id']}", command),
    parse=LEVELS.parse,
    event_ids=["stock-reserved:{}", "reservation-shipped:{}"],
)
