"""A domain as the operator's verbs know it: one object, named by the project file. No function imports it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from outbox.events import Fields
from outbox.fields import Shape
from outbox.items import Key
from outbox.outgoing import OutgoingEvent
from outbox.transaction import IncomingEvent


@dataclass(frozen=True)
class Domain:
    """A domain's commands, events and totals."""

    name: str
    """Name of the domain: what the stack exports as `domain`."""
    command: Shape
    """Fields of a command, in the order in which `outbox place` takes them."""
    event_of: Callable[[Fields], OutgoingEvent]
    """The event of a command."""
    parse: Callable[[str], IncomingEvent]
    """The consumer's own reading of a body, such as `Projection.parse`."""
    event_ids: Sequence[str] = ()
    """Event ids that follow from an entity's id, each with `{}` in its place; `outbox trace` takes either."""
    totals: Mapping[Key, Sequence[str]] = field(default_factory=dict)
    """Items that every event adds to, and the amounts in each; their shards count too."""
