"""The domain: pieces of an article are reserved in a warehouse, and a reservation is shipped once."""

from collections.abc import Iterator

from outbox.effects import Add, Effect, Put, Update
from outbox.events import Earlier, Event, EventType, Fields, Projection
from outbox.fields import Shape, Text, WholeNumber
from outbox.intents import intent
from outbox.items import Item, Key

NAME = Text(r"[a-z0-9-]{1,40}", "text of 1-40 lowercase letters, digits or hyphens")
ONE_WAREHOUSE: Shape = {"reservation_id": NAME, "article": NAME, "pieces": WholeNumber(1, 100_000)}
RESERVATION: Shape = {**ONE_WAREHOUSE, "warehouse": NAME}
SHIPMENT: Shape = {**RESERVATION, "expected_version": WholeNumber(1, 1_000)}


def in_main_warehouse(fields: Fields) -> Fields:
    """Raises version 1, from the time when there was one warehouse."""
    return {**fields, "warehouse": "main"}


RESERVED = EventType("stock-reserved", RESERVATION, earlier=[Earlier(ONE_WAREHOUSE, in_main_warehouse)])
SHIPPED = EventType("reservation-shipped", RESERVATION)


def state_of(fields: Fields, status: str) -> Item:
    """A reservation as it is stored, at the source and by the consumer that follows reservations."""
    return {"PK": f"RESERVATION#{fields['reservation_id']}", "SK": "STATE", **fields, "status": status}


def level_of(fields: Fields) -> Key:
    """Key of an article's totals of one warehouse."""
    return Key(f"ARTICLE#{fields['article']}", f"LEVEL#{fields['warehouse']}")


def count_reserved(event: Event) -> Iterator[Effect]:
    """More of the article is reserved."""
    yield Add(level_of(event.fields), {"reserved": event.fields["pieces"], "reservations": 1})


def count_shipped(event: Event) -> Iterator[Effect]:
    """The reserved items are gone."""
    pieces = event.fields["pieces"]
    yield Add(level_of(event.fields), {"reserved": -pieces, "shipped": pieces})


def open_reservation(event: Event) -> Iterator[Effect]:
    """The reservation can be queried."""
    yield Put(state_of(event.fields, "RESERVED"))


def close_reservation(event: Event) -> Iterator[Effect]:
    """It is shipped, if it was open, and the customer is to be told."""
    place = Key(f"RESERVATION#{event.fields['reservation_id']}", "STATE")
    yield Update(place, expected={"status": "RESERVED"}, values={"status": "SHIPPED"})
    yield intent(event.event_id, "send-mail", {"about": event.fields["reservation_id"]})


LEVELS = Projection({RESERVED: count_reserved, SHIPPED: count_shipped})
RESERVATIONS = Projection({RESERVED: open_reservation, SHIPPED: close_reservation})
