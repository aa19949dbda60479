"""Faults that name no event: whether it is still worth a transaction to look for the event behind one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from outbox.items import Key
from outbox.transaction import Transaction

# As many events that were turned down alone, with none stored, show a fault of the item or the table itself.
ALONE_UNTIL_HOPELESS = 3

Cause = tuple[Key | None, str]
"""The shared write that was turned down, None for a whole request, and the code."""


class Faults:
    """What one invocation's transactions have shown of the causes that several events share."""

    def __init__(self) -> None:
        self._alone: defaultdict[Cause, int] = defaultdict(int)  # made faster than a Counter, every time
        self._stored: list[Transaction] = []

    def stored(self, transaction: Transaction) -> None:
        """Its writes, and requests as a whole, can be accepted."""
        self._stored.append(transaction)

    def struck(self, transaction: Transaction, causes: Sequence[Cause]) -> None:
        """Count the causes for which an event was turned down alone."""
        if len(transaction.events) == 1:
            for cause in causes:
                self._alone[cause] += 1

    def is_hopeless(self, cause: Cause) -> bool:
        """Whether everybody with this write fails, for all that is known."""
        key, _ = cause
        return self._alone[cause] >= ALONE_UNTIL_HOPELESS and not any(
            key is None or key in transaction.writes for transaction in self._stored
        )
