"""The domain: an order is accepted once and adds to the sales once.

Another domain has a file of its own in this one's place (docs/reuse.md). It says what a valid command is, what is
stored for it, what its event looks like, and what the event changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outbox.canonical import canonical_json, parse_json
from outbox.effects import Add
from outbox.errors import InvalidInputError, describe
from outbox.fields import Shape, Text, WholeNumber, exact_members
from outbox.items import Item, Key
from outbox.outgoing import OutgoingEvent
from outbox.transaction import IncomingEvent

EVENT_TYPE = "OrderCreated"
MAXIMUM_AMOUNT_CENTS = 1_000_000
SALES_TOTAL = Key("SALES", "TOTAL")

ORDER_ID_PATTERN = r"[a-z0-9-]{1,40}"

_FIELDS: Shape = {
    "order_id": Text(ORDER_ID_PATTERN, "text of 1-40 lowercase letters, digits or hyphens"),
    "amount_cents": WholeNumber(1, MAXIMUM_AMOUNT_CENTS),
}
# The attributes of the state that repeat the request and never change.
REQUEST_FIELDS = tuple(_FIELDS)
_EVENT_FIELDS = ("event_id", "type", *REQUEST_FIELDS)


@dataclass(frozen=True)
class Order:
    """An order whose fields were found valid."""

    order_id: str
    amount_cents: int

    @property
    def event_id(self) -> str:
        """Identity of the event that says this order was created."""
        return event_id_of(self.order_id)


def event_id_of(order_id: str) -> str:
    """Identity of the event that says an order was created."""
    return f"order-created:{order_id}"


def parse_command(command: object) -> Order:
    """The order a command asks for.

    Raises:
        InvalidInputError: The command is not an object with exactly the two fields, or one is not accepted.
    """
    return _order_of(exact_members(command, "The command", REQUEST_FIELDS))


def state_of(order: Order) -> Item:
    """The order as it is first stored."""
    return {
        "PK": f"ORDER#{order.order_id}",
        "SK": "STATE",
        "kind": "ORDER",
        "order_id": order.order_id,
        "amount_cents": order.amount_cents,
        "status": "ACCEPTED",
        "event_id": order.event_id,
    }


def event_of(order: Order) -> OutgoingEvent:
    """The event that tells others of the order."""
    content = {
        "event_id": order.event_id,
        "type": EVENT_TYPE,
        "order_id": order.order_id,
        "amount_cents": order.amount_cents,
    }
    return OutgoingEvent(order.event_id, canonical_json(content))


def parse_event(body: str, *, shard: int = 0) -> IncomingEvent:
    """A message's event and its effect: one more order, and its amount, on one shard of the sales total.

    Raises:
        InvalidInputError: The body is not exactly such an event.
    """
    content = exact_members(parse_json(body), "The event", _EVENT_FIELDS)
    order = _order_of(content)
    if content["type"] != EVENT_TYPE:
        raise InvalidInputError(f"type must be {EVENT_TYPE}, but is {describe(content['type'])}")
    if content["event_id"] != order.event_id:
        raise InvalidInputError(f"event_id must be {order.event_id}, but is {describe(content['event_id'])}")
    amounts = {"order_count": 1, "revenue_cents": order.amount_cents}
    total = Add(SALES_TOTAL.shard(shard), amounts, {"kind": "SUMMARY"})
    return IncomingEvent.of(order.event_id, content, [total])


def _order_of(fields: Mapping[str, Any]) -> Order:
    for name, field in _FIELDS.items():
        field.check(name, fields[name])
    return Order(fields["order_id"], fields["amount_cents"])
