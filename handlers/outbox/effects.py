"""What an event changes, as data: effects can be merged, counted and compared before any call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outbox.items import Item, Key, guarded_put, to_wire

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

# Leaves room below DynamoDB's 38 digits for a hundred amounts merged into one.
MAXIMUM_AMOUNT = 10**30


@dataclass(frozen=True)
class Add:
    """Add whole amounts to attributes of an item, which the first addition creates.

    `constants` are text attributes every addition to the item sets to the same value.

    Raises:
        TypeError: An amount is not an int.
        ValueError: There is no amount, or one is beyond MAXIMUM_AMOUNT.
    """

    key: Key
    amounts: Mapping[str, int]
    constants: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.amounts:
            raise ValueError(f"Add to {self.key} needs at least one amount")
        for name, amount in self.amounts.items():
            if type(amount) is not int:
                raise TypeError(f"Add to {self.key}: {name} must be int, but is {type(amount).__name__}")
            if abs(amount) > MAXIMUM_AMOUNT:
                raise ValueError(f"Add to {self.key}: {name} must be within +-{MAXIMUM_AMOUNT}")


@dataclass(frozen=True)
class Put:
    """Store an item that must not exist yet.

    Raises:
        KeyError: PK or SK is missing.
        TypeError: A value has no DynamoDB type.
    """

    item: Item

    def __post_init__(self) -> None:
        # Here one event fails; inside a transaction its neighbours would too.
        to_wire({**self.item, **self.key._asdict()})

    @property
    def key(self) -> Key:
        """The primary key of the item."""
        return Key(self.item["PK"], self.item["SK"])


Effect = Add | Put


def merge(first: Effect, second: Effect) -> Effect | None:
    """One effect that does what both do to the same item, or None when there is none.

    A transaction may touch an item once, so what does not merge needs a transaction of its own.
    """
    if isinstance(first, Put) or isinstance(second, Put):
        return None
    constants = {**first.constants, **second.constants}
    if any(constants[name] != value for name, value in first.constants.items()):
        return None
    names = [*first.amounts, *(name for name in second.amounts if name not in first.amounts)]
    amounts = {name: first.amounts.get(name, 0) + second.amounts.get(name, 0) for name in names}
    return Add(first.key, amounts, constants)


def action(effect: Effect, table: str) -> TransactWriteItemTypeDef:
    """The effect as one action of TransactWriteItems."""
    if isinstance(effect, Put):
        return {"Put": guarded_put(table, effect.item)}
    # Placeholders for every name: DynamoDB reserves hundreds of words.
    constants = {f"c{i}": pair for i, pair in enumerate(effect.constants.items())}
    amounts = {f"a{i}": pair for i, pair in enumerate(effect.amounts.items())}
    update = "ADD " + ", ".join(f"#{tag} :{tag}" for tag in amounts)
    if constants:
        update = "SET " + ", ".join(f"#{tag} = :{tag}" for tag in constants) + " " + update
    pairs = {**constants, **amounts}
    return {
        "Update": {
            "TableName": table,
            "Key": to_wire(effect.key._asdict()),
            "UpdateExpression": update,
            "ExpressionAttributeNames": {f"#{tag}": name for tag, (name, _) in pairs.items()},
            "ExpressionAttributeValues": to_wire({f":{tag}": value for tag, (_, value) in pairs.items()}),
        }
    }
