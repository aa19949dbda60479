"""Tables that turn down bad events, each for a cause of its own, and the events that are sent to them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any

from outbox.apply import Outcome, apply_once
from outbox.effects import Add, Put
from outbox.items import Key
from outbox.transaction import IncomingEvent
from tests.handlers.support import PROJECTION_TABLE, Clock, cancelled, error
from tools.simulation.dynamodb import DynamoDB, Table

TOTAL = Key("TOTAL", "N")
LONGEST_EXPRESSION = 200
NAMES_TOO_MANY = 20


class Cause(Enum):
    """Why DynamoDB turns down the transactions of a bad event, whatever else is in them."""

    VALUE = "a value that DynamoDB alone refuses: the whole request is turned down unread"
    EXPRESSION = "an expression that is too long for this table, and so is every one that it is merged into"
    SHARED_ADD = "an addition that fails at the item that it shares with the good ones"
    OWN_ACTION = "an action of its own that fails"
    CONFLICT = "another transaction holds an item of its own, without end"


_CODES = {Cause.OWN_ACTION: "ValidationError", Cause.CONFLICT: "TransactionConflict"}


@cache
def event(number: int, names: int = 0) -> IncomingEvent:
    """Adds a power of two to what all share, so that the sum tells who was applied, and puts an item of its own."""
    amounts = {"n": 1 << number} | {f"{number}-{name}": 1 for name in range(names)}
    return IncomingEvent.of(
        f"e-{number}", {}, [Add(TOTAL, amounts), Put({"PK": f"ITEM#{number}", "SK": "S"})]
    )


def events(size: int, bad: Mapping[int, Cause]) -> list[IncomingEvent]:
    """So many events, of which some are bad."""
    return [
        event(number, NAMES_TOO_MANY if bad.get(number) is Cause.EXPRESSION else 0) for number in range(size)
    ]


class RefusingTable:
    """A simulated table that turns down bad events, and takes its time for each call."""

    def __init__(self, bad: Mapping[int, Cause], clock: Clock, seconds: float = 0.0) -> None:
        self.calls = 0
        self._table = Table(PROJECTION_TABLE)
        self._simulated = DynamoDB([self._table])
        self._bad = {f"ITEM#{number}": cause for number, cause in bad.items()}
        self._clock = clock
        self._seconds = seconds

    def transact_write_items(self, **request: Any) -> Any:
        self.calls += 1
        self._clock.remaining -= self._seconds
        actions = request["TransactItems"]
        keys = [_partition(action) for action in actions]
        causes = {key: self._bad[key] for key in keys if key in self._bad}
        met = set(causes.values())
        if Cause.VALUE in met or any(
            len(action["Update"]["UpdateExpression"]) > LONGEST_EXPRESSION
            for action in actions
            if "Update" in action
        ):
            raise error("ValidationException")
        if Cause.SHARED_ADD in met:
            raise cancelled(*("ValidationError" if key == TOTAL.PK else "None" for key in keys))
        if met:
            raise cancelled(*(_CODES[causes[key]] if key in causes else "None" for key in keys))
        return self._simulated.transact_write_items(**request)

    @property
    def applied(self) -> set[int]:
        """The events whose effects are stored, and stored whole: the sum, the items and the markers agree."""
        stored = {key[0]: item for key, item in self._table.items.items()}
        total = int(stored.get(TOTAL.PK, {"n": {"N": "0"}})["n"]["N"])
        applied = {number for number in range(total.bit_length()) if total >> number & 1}
        for prefix in ("ITEM#", "INBOX#e-"):
            assert {int(key.removeprefix(prefix)) for key in stored if key.startswith(prefix)} == applied
        return applied

    def receive(
        self, delivered: Sequence[IncomingEvent], chance: Callable[[], float] = lambda: 1.0
    ) -> list[Outcome]:
        """One invocation with these events."""
        return apply_once(
            self,  # type: ignore[arg-type] # stands for a client
            table=PROJECTION_TABLE,
            events=delivered,
            backoff=self._clock.backoff(chance),
        )


def unapplied(delivered: Iterable[IncomingEvent], outcomes: Iterable[Outcome]) -> list[IncomingEvent]:
    """The events that the queue delivers again."""
    return [each for each, outcome in zip(delivered, outcomes, strict=True) if isinstance(outcome, Exception)]


def _partition(action: Mapping[str, Any]) -> str:
    key = action["Put"]["Item"] if "Put" in action else action["Update"]["Key"]
    return str(key["PK"]["S"])
