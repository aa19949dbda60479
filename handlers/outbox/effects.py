"""What an event changes, as data: effects can be merged, counted and compared before any call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from outbox.errors import describe
from outbox.guards import Expected, condition, guarded, unmet
from outbox.items import MAXIMUM_ITEM_BYTES, Item, Key, new_put, require_key
from outbox.texts import is_text
from outbox.wire import is_name, refused_name, stored_bytes, to_wire, wire_form

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef, UpdateTypeDef

OnConflict = Literal["refuse", "skip"]
"""What becomes of an event whose effect meets another item than it expects. `refuse`: nothing of the event is
stored, it is delivered again, and ends as a dead letter if that never changes. `skip`: the event is applied
without this effect."""

# Far from the 38 digits that DynamoDB keeps: what is stored already is added to.
MAXIMUM_AMOUNT = 10**30


@dataclass(frozen=True)
class Add:
    """Add whole amounts to attributes of an item, which the first addition creates.

    `constants` are text attributes every addition to the item sets to the same value.

    Raises:
        TypeError: An amount is not an int, a constant is no text, or the key is no Key.
        ValueError: DynamoDB has no such PK, SK or name, what is stored is above 400 KB, there is no amount, one is
            beyond MAXIMUM_AMOUNT, or an attribute is both amount and constant or part of the key.
    """

    key: Key
    amounts: Mapping[str, int]
    constants: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Here one event fails; inside a transaction its neighbours would too.
        if not self.amounts:
            raise ValueError(f"Add to {self.key} needs at least one amount")
        _require_key(self.key)
        _require_names(self.key, self.amounts)
        _require_names(self.key, self.constants)
        _require_amounts("Add to", self.key, self.amounts)
        _require_once("Add to", self.key, "constants", self.constants, self.amounts)
        for name, value in self.constants.items():
            if not is_text(value):
                raise TypeError(f"Add to {self.key}: {name} must be text, but is {describe(value)}")
        _require_size(self, self.constants)


@dataclass(frozen=True)
class Put:
    """Store an item that must not exist yet or, with `expected`, in the place of one that is as expected.

    Raises:
        TypeError: A value has no DynamoDB type.
        ValueError: DynamoDB has no such PK, SK or name, stores no such value (see `outbox.wire`), the item is above
            400 KB, `expected` is empty, or `on_conflict` is no such word.
    """

    item: Item
    expected: Expected | None = None
    on_conflict: OnConflict = "refuse"
    wire: dict[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_key("An effect", map(self.item.get, Key._fields))
        key = self.key
        object.__setattr__(self, "wire", to_wire(self.item))
        _require_size(self, self.item)
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
        TypeError: A value has no DynamoDB type, an amount is not an int, or the key is no Key.
        ValueError: DynamoDB has no such PK, SK or name, stores no such value (see `outbox.wire`), what is stored is
            above 400 KB, nothing is expected or nothing is changed, an attribute is changed twice or is part of
            the key, an amount is beyond MAXIMUM_AMOUNT, or `on_conflict` is no such word.
    """

    key: Key
    expected: Expected
    values: Mapping[str, Any] = field(default_factory=dict)
    amounts: Mapping[str, int] = field(default_factory=dict)
    on_conflict: OnConflict = "refuse"

    def __post_init__(self) -> None:
        _require_key(self.key)
        _require_guard(self.key, self.expected)
        _require_conflict_word(self.key, self.on_conflict)
        _require_amounts("Update of", self.key, self.amounts)
        _require_once("Update of", self.key, "values", self.values, self.amounts)
        _require_names(self.key, self.amounts)
        to_wire(self.values)
        _require_size(self, self.values)
        if not self.values and not self.amounts:
            raise ValueError(f"Update of {self.key} needs values or amounts")


Effect = Add | Put | Update
EFFECTS = (Add, Put, Update)


def merge(first: Effect, second: Effect) -> Effect | None:
    """One effect that does what both do to the same item, or None when there is none.

    A transaction may touch an item once, so what does not merge needs a transaction of its own. Only additions
    merge: what a guard finds depends on what was done before. Nor do additions whose sum is none.
    """
    if not (isinstance(first, Add) and isinstance(second, Add)):
        return None
    constants = first.constants
    if second.constants != constants:
        constants = {**first.constants, **second.constants}
        if any(constants[name] != value for name, value in first.constants.items()):
            return None
    amounts = dict(first.amounts)
    for name, amount in second.amounts.items():
        amounts[name] = amounts.get(name, 0) + amount
    try:
        return Add(first.key, amounts, constants)
    except ValueError:  # beyond MAXIMUM_AMOUNT together, or one's amount is the other's constant
        return None


def bytes_of(effect: Effect) -> int:
    """What the effect adds to the size of a request, at the most; quick rather than exact."""
    if isinstance(effect, Add):
        return len(repr(effect.constants).encode()) if effect.constants else 0
    return len(repr(effect.item if isinstance(effect, Put) else effect.values).encode())


def action(effect: Effect, table: str) -> TransactWriteItemTypeDef:
    """The effect as one action of TransactWriteItems."""
    if isinstance(effect, Put):
        if effect.expected is None:
            return {"Put": new_put(table, effect.wire)}
        return {"Put": guarded({"TableName": table, "Item": effect.wire}, effect.expected)}
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
    names: dict[str, str] = {}
    wire: dict[str, Any] = {}
    clauses: list[str] = []
    for verb, sign, changes in (("SET", " =", values), ("ADD", "", amounts)):
        terms = []
        for name, value in changes.items():
            tag = len(names)
            names[f"#n{tag}"], wire[f":n{tag}"] = name, wire_form(value, name)
            terms.append(f"#n{tag}{sign} :n{tag}")
        if terms:
            clauses.append(f"{verb} {', '.join(terms)}")
    return {
        "TableName": table,
        "Key": {"PK": {"S": key.PK}, "SK": {"S": key.SK}},
        "UpdateExpression": " ".join(clauses),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": wire,
    }


def _require_key(key: object) -> None:
    if not isinstance(key, Key):
        raise TypeError(f"The key of an effect must be a Key, but is {type(key).__name__}")
    require_key("An effect", key)


def _require_names(key: Key, attributes: Mapping[Any, Any]) -> None:
    for name in attributes:
        if not is_name(name):
            raise ValueError(f"The effect on {key} {refused_name(name)}")


def _require_size(effect: Effect, content: Mapping[str, Any]) -> None:
    if (
        bytes_of(effect) > MAXIMUM_ITEM_BYTES
        and (size := stored_bytes(to_wire(content))) > MAXIMUM_ITEM_BYTES
    ):
        raise ValueError(
            f"The effect on {effect.key} would store {size} bytes, DynamoDB accepts {MAXIMUM_ITEM_BYTES} in an item"
        )


def _require_amounts(subject: str, key: Key, amounts: Mapping[str, int]) -> None:
    for name, amount in amounts.items():
        if type(amount) is not int:
            raise TypeError(f"{subject} {key}: {name} must be int, but is {type(amount).__name__}")
        if abs(amount) > MAXIMUM_AMOUNT:
            raise ValueError(f"{subject} {key}: {name} must be within +-{MAXIMUM_AMOUNT}")


def _require_once(
    subject: str, key: Key, where: str, values: Mapping[str, Any], amounts: Mapping[str, int]
) -> None:
    names = {"PK", "SK", *amounts, *values}
    if len(names) < len(amounts) + len(values) + 2:
        name = next((name for name in values if name in amounts or name in Key._fields), "PK or SK")
        raise ValueError(f"{subject} {key}: {name} is in {where}, and in amounts or the key")


def _require_guard(key: Key, expected: Expected) -> None:
    if not expected:
        raise ValueError(f"The effect on {key} expects nothing: name at least one attribute in `expected`")
    _require_names(key, expected)
    condition(expected)


def _require_conflict_word(key: Key, word: str) -> None:
    if word not in ("refuse", "skip"):
        raise ValueError(f"on_conflict of the effect on {key} must be refuse or skip, but is {word!r}")
