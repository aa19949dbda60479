"""Every way for a transaction to be turned down, action by action, in a world that can give it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from tools.simulation.errors import transaction_cancelled
from tools.simulation.reads import Key, key_of

PASSING = ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")
REFUSING = ("ValidationError", "ItemCollectionSizeLimitExceeded", "NobodyKnowsThis")


class Told(NamedTuple):
    """The reason for one action; the item is what its failed condition shows, in wire form."""

    code: str
    item: Any = None

    @property
    def has_failed(self) -> bool:
        """Whether it is a failed condition."""
        return self.code == "ConditionalCheckFailed"

    def as_reason(self) -> dict[str, Any]:
        """As DynamoDB gives it."""
        return {"Code": self.code, **({"Item": self.item} if self.item else {})}


HOLDS = Told("None")


def met(**item: Any) -> Told:
    """A condition that fails on an item with these texts and numbers, or on none."""
    wire = {
        name: {"N": str(value)} if isinstance(value, int) else {"S": value} for name, value in item.items()
    }
    return Told("ConditionalCheckFailed", wire)


Truth = Mapping[Key, Told]
"""The truth of the condition of each item that is written: it holds, or it fails on an item."""


def vectors(
    truth: Truth,
    unshown: Collection[Key] = (),
    passing: Sequence[str] = PASSING,
    refusing: Sequence[str] = REFUSING,
) -> Iterator[dict[Key, Told]]:
    """Each action as it truly is, or turned down for another cause, or failed on an item that is not shown.

    That last only of the keys in `unshown`: elsewhere a failed condition without an item says that there is none.
    """
    turned_down = [Told(code) for code in (*passing, *refusing)]
    ways = [
        [told, *turned_down, *([told._replace(item=None)] if told.item and key in unshown else [])]
        for key, told in truth.items()
    ]
    for chosen in product(*ways):
        yield dict(zip(truth, chosen, strict=True))


class Table:
    """A client whose first transaction is answered by a vector, and every later one by what is true."""

    def __init__(self, truth: Truth, first: Mapping[Key, Told] | None = None) -> None:
        self.truth = dict(truth)
        self.first = first
        self.stored: list[Any] = []
        """The actions of all transactions that were stored."""

    def transact_write_items(self, *, TransactItems: Sequence[Any]) -> dict[str, Any]:  # noqa: N803 - boto3's name
        """Cancelled, or stored: then each of its conditions on new items fails from now on."""
        actions = [next(iter(named.values())) for named in TransactItems]
        keys = [key_of(action.get("Item") or action["Key"]) for action in actions]
        first, self.first = self.first, None
        reasons = [(first or self.truth)[key] for key in keys]
        if first or any(reason != HOLDS for reason in reasons):
            raise transaction_cancelled([reason.as_reason() for reason in reasons])
        for key, action in zip(keys, actions, strict=True):
            if "ConditionExpression" in action:
                self.truth[key] = Told("ConditionalCheckFailed", action.get("Item"))
        self.stored += actions
        return {}
