"""Which orders the walkthrough is run with, and what counts as theirs on a stack that others may use."""

from dataclasses import dataclass

from outbox_cli.orders.sending import order_created_body
from outbox_cli.status.stored import Totals


@dataclass(frozen=True)
class Order:
    """An order, its event, and what it adds."""

    order_id: str
    amount_cents: int

    @property
    def event_id(self) -> str:
        """The identity of its event."""
        return f"order-created:{self.order_id}"

    @property
    def command(self) -> dict[str, object]:
        """The command's payload."""
        return vars(self).copy()

    @property
    def body(self) -> str:
        """The body of its event."""
        return order_created_body(self.order_id, self.amount_cents)


@dataclass(frozen=True)
class Exercise:
    """Two orders that nobody else uses, and the totals before them.

    The first is delivered as it should be, and repeated; the second fails after its commit. Alone, nothing else
    happens on the stack: then the totals are exactly theirs, and the queues empty at the end.
    """

    first: Order
    second: Order
    before: Totals
    is_alone: bool
    since_ms: int = 0
    """No line of theirs was logged earlier; milliseconds since 1970."""

    def added(self, orders: int) -> Totals:
        """Totals of the first one or two of them."""
        placed = [self.first, self.second][:orders]
        return Totals(orders, sum(each.amount_cents for each in placed))

    def shown(self, added: Totals) -> str:
        """Added totals in words; alone, they are the totals."""
        return str(added) if self.is_alone else f"{added} more"


WALKTHROUGH = Exercise(Order("order-a", 1000), Order("order-b", 2500), Totals(0, 0), is_alone=True)
