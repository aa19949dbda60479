"""Effects: the changes that an event makes, as data. They can be merged, counted and compared before any call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from outbox.effect_limits import (
    MAXIMUM_AMOUNT,
    frozen,
    require_amounts,
    require_conflict_word,
    require_expression,
    require_key_of_effect,
    require_names,
    require_once,
    require_size,
)
from outbox.errors import describe
from outbox.guards import Expected, guarded, unmet
from outbox.items import Item, Key, new_put, require_key
from outbox.texts import is_text
from outbox.wire import to_wire

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import PutTypeDef, TransactWriteItemTypeDef, UpdateTypeDef

_E = TypeVar("_E", bound=object)

OnConflict = Literal["refuse", "skip"]
"""The fate of an event whose effect meets another item than it expects. `refuse`: nothing of the event is
stored, it is delivered again, and ends as a dead-letter message if that never changes. `skip`: the event is applied
without this effect."""

# So many attributes are named in far less than an expression may have; beyond, it is made and measured.
_SURELY_SHORT = 100
_SURELY_SMALL = 10_000


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
        require_key_of_effect(self.key)
        amounts = frozen(self.key, "amounts", self.amounts)
        constants = frozen(self.key, "constants", self.constants)
        _set(self, amounts=amounts, constants=constants)
        if not amounts:
            raise ValueError(f"Add to {self.key} needs at least one amount")
        require_names(self.key, amounts)
        require_names(self.key, constants)
        require_amounts("Add to", self.key, amounts)
        require_once("Add to", self.key, "constants", constants, amounts)
        for name, value in constants.items():
            if not is_text(value):
                raise TypeError(f"Add to {self.key}: {name} must be text, but is {describe(value)}")
        if len("".join([*amounts, *constants, *constants.values()])) > _SURELY_SMALL:
            require_size(self.key, to_wire({**self.key._asdict(), **constants, **amounts}))
        if len(amounts) + len(constants) > _SURELY_SHORT:
            require_expression(self.key, _update(self.key, to_wire(constants), amounts)["UpdateExpression"])


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
    """The action, all but its table."""

    def __post_init__(self) -> None:
        _set(self, item=frozen("an item", "item", self.item))
        require_key("An effect", map(self.item.get, Key._fields))
        wire = to_wire(self.item)
        require_size(self.key, wire)
        if self.expected is None:
            _set(self, wire=new_put("", wire))
        else:
            _set(self, expected=_frozen_guard(self.key, self.expected))
            _set(self, wire=guarded({"Item": wire}, self.expected))
        require_conflict_word(self.key, self.on_conflict)

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
    wire: dict[str, Any] = field(init=False, repr=False, compare=False)
    """The action, all but its table."""

    def __post_init__(self) -> None:
        require_key_of_effect(self.key)
        values = frozen(self.key, "values", self.values)
        amounts = frozen(self.key, "amounts", self.amounts)
        _set(self, values=values, amounts=amounts, expected=_frozen_guard(self.key, self.expected))
        require_conflict_word(self.key, self.on_conflict)
        require_amounts("Update of", self.key, amounts)
        require_once("Update of", self.key, "values", values, amounts)
        require_names(self.key, amounts)
        wire = to_wire(values)
        require_size(self.key, {**to_wire({**self.key._asdict(), **amounts}), **wire})
        if not values and not amounts:
            raise ValueError(f"Update of {self.key} needs values or amounts")
        update = _update(self.key, wire, amounts)
        require_expression(self.key, update["UpdateExpression"])
        _set(self, wire=guarded(update, self.expected))


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
    amounts: dict[str, int] = dict(first.amounts)
    for name, amount in second.amounts.items():
        amounts[name] = amounts.get(name, 0) + amount
    if constants is first.constants and len(amounts) == len(first.amounts):
        if any(abs(amounts[name]) > MAXIMUM_AMOUNT for name in second.amounts):
            return None
        # Of the same names as `first`, which was judged: only the sums are new.
        return _set(object.__new__(Add), key=first.key, amounts=amounts, constants=constants)
    try:
        return Add(first.key, amounts, constants)
    except ValueError:  # one's amount is the other's constant, or beyond a limit together
        return None


def bytes_of(effect: Effect) -> int:
    """Most bytes that the effect adds to a request; quick rather than exact."""
    content = (effect.key, effect.amounts, effect.constants) if isinstance(effect, Add) else effect.wire
    return len(repr(content).encode())


def action(effect: Effect, table: str) -> TransactWriteItemTypeDef:
    """The effect as one action of TransactWriteItems."""
    if isinstance(effect, Add):
        update = _update(effect.key, to_wire(effect.constants), effect.amounts)
        return {"Update": {**update, "TableName": table}}
    if isinstance(effect, Put):
        return {"Put": cast("PutTypeDef", {**effect.wire, "TableName": table})}
    return {"Update": cast("UpdateTypeDef", {**effect.wire, "TableName": table})}


def conflict(effect: Effect, found: Item | None) -> str:
    """Why the condition of an effect failed, in words that follow the event's id; no value is shown."""
    if isinstance(effect, Add) or effect.expected is None:
        return "would store an item that exists already"
    place = "/".join(effect.key)
    if found is None:
        return f"expects {place} to exist, and it does not"
    names = unmet(effect.expected, found) or effect.expected
    return f"expects another {' and '.join(names)} of {place} than is stored"


def _update(key: Key, values: Mapping[str, Any], amounts: Mapping[str, int]) -> UpdateTypeDef:
    """An update with placeholders for every name: DynamoDB reserves hundreds of words. Values are in wire form."""
    names: dict[str, str] = {}
    wire: dict[str, Any] = {}
    clauses: list[str] = []
    added = {name: {"N": str(amount)} for name, amount in amounts.items()}
    for verb, sign, changes in (("SET", " =", values), ("ADD", "", added)):
        terms = []
        for name, value in changes.items():
            tag = len(names)
            names[f"#n{tag}"], wire[f":n{tag}"] = name, value
            terms.append(f"#n{tag}{sign} :n{tag}")
        if terms:
            clauses.append(f"{verb} {', '.join(terms)}")
    return {
        "TableName": "",
        "Key": {"PK": {"S": key.PK}, "SK": {"S": key.SK}},
        "UpdateExpression": " ".join(clauses),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": wire,
    }


def _frozen_guard(key: Key, expected: Expected) -> Expected:
    guard = frozen(key, "expected", expected)
    if not guard:
        raise ValueError(f"The effect on {key} expects nothing: name at least one attribute in `expected`")
    require_names(key, guard)
    return guard


def _set(effect: _E, **fields: object) -> _E:
    """Its fields, while it is made: nobody changes it later."""
    vars(effect).update(fields)
    return effect
