"""A second domain: goods move in and out, and the level of each is the sum of its movements."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from outbox.canonical import canonical_json, parse_json
from outbox.effects import Add
from outbox.errors import InvalidInputError, describe
from outbox.items import Item, Key
from outbox.outgoing import OutgoingEvent
from outbox.transaction import IncomingEvent

EVENT_TYPE = "StockMoved"
MOST_PIECES = 100_000
REQUEST_FIELDS = ("movement_id", "article", "pieces")

_NAME = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True)
class Movement:
    """Pieces of an article that came in, or with a minus went out."""

    movement_id: str
    article: str
    pieces: int

    @property
    def event_id(self) -> str:
        """Identity of the event that tells of the movement."""
        return f"stock-moved:{self.movement_id}"


def parse_command(command: object) -> Movement:
    """The movement that a command asks for.

    Raises:
        InvalidInputError: it lacks a field, has one too many, or one is not accepted.
    """
    if not isinstance(command, Mapping) or set(command) != set(REQUEST_FIELDS):
        raise InvalidInputError(f"A movement has exactly the fields {', '.join(REQUEST_FIELDS)}")
    for name in ("movement_id", "article"):
        if not isinstance(command[name], str) or not _NAME.fullmatch(command[name]):
            raise InvalidInputError(
                f"{name} must be text of 1-40 lowercase letters, digits or hyphens, but is {describe(command[name])}"
            )
    pieces = command["pieces"]
    if type(pieces) is not int or not 1 <= abs(pieces) <= MOST_PIECES:
        raise InvalidInputError(
            f"pieces must be a whole number from -{MOST_PIECES} to {MOST_PIECES} without 0, but is {describe(pieces)}"
        )
    return Movement(command["movement_id"], command["article"], pieces)


def state_of(movement: Movement) -> Item:
    """The movement as it is stored."""
    return {"PK": f"MOVEMENT#{movement.movement_id}", "SK": "STATE", "kind": "MOVEMENT", **vars(movement)}


def event_of(movement: Movement) -> OutgoingEvent:
    """The event that tells of it."""
    content = {"event_id": movement.event_id, "type": EVENT_TYPE, **vars(movement)}
    return OutgoingEvent(movement.event_id, canonical_json(content))


def parse_event(body: str) -> IncomingEvent:
    """A message's event and its effect: the article's level moves by the pieces.

    Raises:
        InvalidInputError: the body is not exactly such an event.
    """
    content = parse_json(body)
    if not isinstance(content, dict) or content.get("type") != EVENT_TYPE:
        raise InvalidInputError(f"The event must be an object of the type {EVENT_TYPE}")
    movement = parse_command({name: content[name] for name in content.keys() - {"type", "event_id"}})
    if content.get("event_id") != movement.event_id:
        raise InvalidInputError(f"event_id must be {movement.event_id}")
    level = Key(f"ARTICLE#{movement.article}", "LEVEL")
    return IncomingEvent.of(
        movement.event_id, content, [Add(level, {"pieces": movement.pieces, "movements": 1})]
    )
