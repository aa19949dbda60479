"""A second domain: goods move in and out, and the level of each is the sum of its movements."""

from collections.abc import Iterator

from outbox.effects import Add, Effect
from outbox.errors import InvalidInputError
from outbox.events import Event, EventType, Fields, Projection
from outbox.fields import Shape, Text, WholeNumber, read_fields
from outbox.items import Item, Key
from outbox.outgoing import OutgoingEvent

MOST_PIECES = 100_000

NAME = Text(r"[a-z0-9-]{1,40}", "text of 1-40 lowercase letters, digits or hyphens")
MOVEMENT: Shape = {
    "movement_id": NAME,
    "article": NAME,
    "pieces": WholeNumber(-MOST_PIECES, MOST_PIECES),
}
MOVED = EventType("stock-moved", MOVEMENT)


def parse_command(command: object) -> Fields:
    """The movement that a command asks for: pieces that came in, or with a minus went out.

    Raises:
        InvalidInputError: it lacks a field, has one too many, or one is not accepted.
    """
    movement = read_fields(command, "A movement", MOVEMENT)
    if movement["pieces"] == 0:
        raise InvalidInputError("pieces must not be 0: nothing would move")
    return movement


def state_of(movement: Fields) -> Item:
    """The movement as it is stored."""
    return {"PK": f"MOVEMENT#{movement['movement_id']}", "SK": "STATE", "kind": "MOVEMENT", **movement}


def event_of(movement: Fields) -> OutgoingEvent:
    """The event that tells of it."""
    return MOVED.event(f"stock-moved:{movement['movement_id']}", movement)


def _level(event: Event) -> Iterator[Effect]:
    """The article's level moves by the pieces."""
    level = Key(f"ARTICLE#{event.fields['article']}", "LEVEL")
    yield Add(level, {"pieces": event.fields["pieces"], "movements": 1})


LEVELS = Projection({MOVED: _level})
