"""The domain: an order is accepted once and adds to the sales once.

Another domain has a file of its own in this one's place (docs/tutorial.md). It says what a valid command is, what is
stored for it, what its event looks like, and what the event changes.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from outbox.effects import Add, Effect
from outbox.errors import InvalidInputError, describe
from outbox.events import Event, EventType, Projection
from outbox.fields import Shape, Text, WholeNumber, read_fields
from outbox.items import Item, Key
from outbox.outgoing import OutgoingEvent

MAXIMUM_AMOUNT_CENTS = 1_000_000
SALES_TOTAL = Key("SALES", "TOTAL")

ORDER_ID_PATTERN = r"[a-z0-9-]{1,40}"

ORDER: Shape = {
    "order_id": Text(ORDER_ID_PATTERN, "text of 1-40 lowercase letters, digits or hyphens"),
    "amount_cents": WholeNumber(1, MAXIMUM_AMOUNT_CENTS),
}
ORDER_CREATED = EventType("OrderCreated", ORDER, writes_version_1=False)
# The attributes of the state that repeat the request and never change.
REQUEST_FIELDS = tuple(ORDER)


class Order(NamedTuple):
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
    return Order(**read_fields(command, "The command", ORDER))


def state_of(order: Order) -> Item:
    """The order as it is first stored."""
    return {
        "PK": f"ORDER#{order.order_id}",
        "SK": "STATE",
        "kind": "ORDER",
        **order._asdict(),
        "status": "ACCEPTED",
        "event_id": order.event_id,
    }


def event_of(order: Order) -> OutgoingEvent:
    """The event that tells others of the order."""
    return ORDER_CREATED.event(order.event_id, order._asdict())


def add_to_sales(event: Event, shard: int) -> Iterator[Effect]:
    """One more order, and its amount, on one shard of the sales total."""
    order = Order(**event.fields)
    if event.event_id != order.event_id:
        raise InvalidInputError(f"event_id must be {order.event_id}, but is {describe(event.event_id)}")
    amounts = {"order_count": 1, "revenue_cents": order.amount_cents}
    yield Add(SALES_TOTAL.shard(shard), amounts, {"kind": "SUMMARY"})


def sales(shard: int = 0) -> Projection:
    """The consumer's projection: every order adds to the sales."""
    return Projection({ORDER_CREATED: partial(add_to_sales, shard=shard)})
