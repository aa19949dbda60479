"""What an event changes, as data: effects can be merged, counted and compared before any call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from outbox.guards import Expected, condition, guarded, unmet
from outbox.items import Item, Key, guarded_put, to_wire

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef, UpdateTypeDef

OnConflict = Literal["refuse", "skip"]
"""What becomes of an event whose effect meets another item than it expects. `refuse`: nothing of the event is
stored, it is delivered again, and ends as a dead letter if that never changes. `skip`: the event is applied
without this effect."""

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
        _require_amounts(self.key, self.amounts)


@dataclass(frozen=True)
class Put:
    """Store an item that must not exist yet or, with `expected`, in the place of one that is as expected.

    Raises:
        KeyError: PK or SK is missing.
        TypeError: A value has no DynamoDB type.
        ValueError: `expected` is empty, or `on_conflict` is no such word.
    """

    item: Item
    expected: Expected | None = None
    on_conflict: OnConflict = "refuse"

    def __post_init__(self) -> None:
        # Here one event fails; inside a transaction its neighbours would too.
        key = self.key
        to_wire(self.item)
        if self.expected is not None:
            _require_guard(key, self.expected)
        _require_conflict_word(key, self.on_conflict)

    @property
    def key(self) -> Key:
        """The primary key of the item."""
        return Key(self.item["PK"], self.item["SK"])


@dataclass(frozen=True)
class Update:
    """Set `values` and add `amounts` to attributes of an item that is as `expected`; the others stay.

    An item that is missing is as expected when everything expected allows for that (None, Below); it is then
    created.

    Raises:
        TypeError: A value has no DynamoDB type, or an amount is not an int.
        ValueError: Nothing is expected or nothing is changed, an attribute is changed twice or is part of the
            key, an amount is beyond MAXIMUM_AMOUNT, or `on_conflict` is no such word.
    """

    key: Key
    expected: Expected
    values: Mapping[str, Any] = field(default_factory=dict)
    amounts: Mapping[str, int] = field(default_factory=dict)
    on_conflict: OnConflict = "refuse"

    def __post_init__(self) -> None:
        _require_guard(self.key, self.expected)
        _require_conflict_word(self.key, self.on_conflict)
        _require_amounts(self.key, self.amounts)
        to_wire(self.values)
        changed = [*self.values, *self.amounts]
        if not changed:
            raise ValueError(f"Update of {self.key} needs values or amounts")
        if twice := sorted(set(self.values).intersection([*self.amounts, *Key._fields])):
            raise ValueError(f"Update of {self.key}: {twice[0]} is in values, and in amounts or the key")


Effect = Add | Put | Update


def merge(first: Effect, second: Effect) -> Effect | None:
    """One effect that does what both do to the same item, or None when there is none.

    A transaction may touch an item once, so what does not merge needs a transaction of its own. Only additions
    merge: what a guard finds depends on what was done before.
    """
    if not (isinstance(first, Add) and isinstance(second, Add)):
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
        if effect.expected is None:
            return {"Put": guarded_put(table, effect.item)}
        return {"Put": guarded({"TableName": table, "Item": to_wire(effect.item)}, effect.expected)}
    if isinstance(effect, Add):
        return {"Update": _update(table, effect.key, effect.constants, effect.amounts)}
    update = _update(table, effect.key, effect.values, effect.amounts)
    return {"Update": guarded(update, effect.expected)}


def conflict(effect: Effect, found: Item | None) -> str:
    """Why the condition of an effect failed, in words that follow the event's id; no value is shown."""
    if isinstance(effect, Add) or effect.expected is None:
        return "would store an item that exists already"
    place = "/".join(effect.key)
    if found is None:
        return f"expects {place} to exist, and it does not"
    names = unmet(effect.expected, found) or effect.expected
    return f"expects another {' and '.join(names)} of {place} than is stored"


def _update(table: str, key: Key, values: Mapping[str, Any], amounts: Mapping[str, int]) -> UpdateTypeDef:
    """An update with placeholders for every name: DynamoDB reserves hundreds of words."""
    sets = {f"c{i}": pair for i, pair in enumerate(values.items())}
    adds = {f"a{i}": pair for i, pair in enumerate(amounts.items())}
    clauses = []
    if sets:
        clauses.append("SET " + ", ".join(f"#{tag} = :{tag}" for tag in sets))
    if adds:
        clauses.append("ADD " + ", ".join(f"#{tag} :{tag}" for tag in adds))
    pairs = {**sets, **adds}
    return {
        "TableName": table,
        "Key": to_wire(key._asdict()),
        "UpdateExpression": " ".join(clauses),
        "ExpressionAttributeNames": {f"#{tag}": name for tag, (name, _) in pairs.items()},
        "ExpressionAttributeValues": to_wire({f":{tag}": value for tag, (_, value) in pairs.items()}),
    }


def _require_amounts(key: Key, amounts: Mapping[str, int]) -> None:
    for name, amount in amounts.items():
        if type(amount) is not int:
            raise TypeError(f"Add to {key}: {name} must be int, but is {type(amount).__name__}")
        if abs(amount) > MAXIMUM_AMOUNT:
            raise ValueError(f"Add to {key}: {name} must be within +-{MAXIMUM_AMOUNT}")


def _require_guard(key: Key, expected: Expected) -> None:
    if not expected:
        raise ValueError(f"The effect on {key} expects nothing: name at least one attribute in `expected`")
    condition(expected)


def _require_conflict_word(key: Key, word: str) -> None:
    if word not in ("refuse", "skip"):
        raise ValueError(f"on_conflict of the effect on {key} must be refuse or skip, but is {word!r}")
