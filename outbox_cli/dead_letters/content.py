"""Content of a message's body: the event's identity, in any domain, and the amount of an order."""

from collections.abc import Mapping
from typing import Any

from outbox.canonical import parse_json
from outbox.effects import Add
from outbox.errors import InvalidInputError, describe
from outbox.transaction import Identity, IncomingEvent
from outbox_cli.domain import walkthrough
from outbox_cli.status.stored import Totals


def identity_of(body: str) -> Identity:
    """The identity that every consumer knows this body's event by, whatever else it asks of it.

    Raises:
        InvalidInputError: No consumer can read it: it is no object of whole numbers and texts with an `event_id`.
    """
    content = parse_json(body)
    if not isinstance(content, dict):
        raise InvalidInputError(f"The event must be an object, but is {describe(content)}")
    if "event_id" not in content:
        raise InvalidInputError("The event has no event_id")
    return IncomingEvent.of(content["event_id"], content, ()).identity


def share_of(body: str) -> Totals | None:
    """The amount an order's event adds to the totals; None where the orders' consumer would refuse it."""
    try:
        effects = walkthrough().parse(body).effects
    except InvalidInputError:
        return None
    amounts: list[Mapping[str, Any]] = [each.amounts for each in effects if isinstance(each, Add)]
    return Totals(
        sum(each.get("order_count", 0) for each in amounts),
        sum(each.get("revenue_cents", 0) for each in amounts),
    )
