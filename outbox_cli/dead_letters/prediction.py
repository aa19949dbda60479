"""Prediction of what a redrive adds to the orders' totals, from the inbox state of each message."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from outbox_cli.dead_letters.letters import DeadLetter, InboxState
from outbox_cli.status.stored import Totals


@dataclass(frozen=True)
class Prediction:
    """The events that a redrive applies, and what they add.

    Several messages can claim one event that is not applied yet, with different contents. Whichever comes
    first is applied, so the sum has two bounds; the other messages come back as conflicting.
    """

    digests: dict[str, frozenset[str]]
    """For each event that is to be applied, the digests of the contents that it can be applied with."""
    least: Totals
    most: Totals
    not_orders: int
    """Events to be applied of which it is not known what they add, as they are no orders."""
    comes_back: int
    """Messages that the consumer fails again, so that they end in the dead-letter queue once more, at least."""

    @classmethod
    def of(cls, letters: Iterable[DeadLetter]) -> "Prediction":
        """What moving these messages does: an applied one changes nothing, an unapplied event counts once."""
        claims: defaultdict[str, dict[str, Totals | None]] = defaultdict(dict)
        comes_back = 0
        for letter in letters:
            if letter.identity and letter.state is InboxState.UNAPPLIED:
                claims[letter.identity.event_id][letter.identity.digest] = letter.share
            comes_back += letter.state.comes_back
        comes_back += sum(len(contents) - 1 for contents in claims.values())
        shares = [
            [share for share in contents.values() if share]
            for contents in claims.values()
            if None not in contents.values()
        ]
        return cls(
            {event_id: frozenset(contents) for event_id, contents in claims.items()},
            _sum(min(each, key=lambda share: share.revenue_cents) for each in shares),
            _sum(max(each, key=lambda share: share.revenue_cents) for each in shares),
            len(claims) - len(shares),
            comes_back,
        )

    def holds(self, added: Totals) -> bool:
        """Whether so much added is what was predicted."""
        return (
            added.order_count == self.least.order_count
            and self.least.revenue_cents <= added.revenue_cents <= self.most.revenue_cents
        )

    def __str__(self) -> str:
        if self.least == self.most:
            return str(self.least)
        return f"{self.least} to {self.most.revenue_cents} cents"


def _sum(shares: Iterable[Totals]) -> Totals:
    found = list(shares)
    return Totals(sum(each.order_count for each in found), sum(each.revenue_cents for each in found))
