"""DynamoDB's limits for an effect, held when it is made: in a transaction, a refusal costs its neighbours too.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outbox.errors import describe
from outbox.guards import MAXIMUM_EXPRESSION_BYTES
from outbox.items import MAXIMUM_ITEM_BYTES, Key, require_key
from outbox.wire import is_name, refused_name, stored_bytes

# Far from the 38 digits that DynamoDB keeps: what is stored already is added to.
MAXIMUM_AMOUNT = 10**30


def frozen(key: object, name: str, given: object) -> dict[Any, Any]:
    """A copy of a mapping, so that nothing changes once it was judged; raises TypeError if it is none."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} of the effect on {key} must be a mapping, but is {describe(given)}")
    return dict(given)


def require_key_of_effect(key: object) -> None:
    """Raise TypeError or ValueError if it is no Key, or none that DynamoDB takes."""
    if not isinstance(key, Key):
        raise TypeError(f"The key of an effect must be a Key, but is {type(key).__name__}")
    require_key("An effect", key)


def require_names(key: Key, attributes: Mapping[Any, Any]) -> None:
    """Raise ValueError if DynamoDB has no attribute of such a name."""
    for name in attributes:
        if not is_name(name):
            raise ValueError(f"The effect on {key} {refused_name(name)}")


def require_size(key: Key, wire: Mapping[str, Any]) -> None:
    """Raise ValueError if what an effect stores, in wire form, is more than an item."""
    if len(repr(wire)) > MAXIMUM_ITEM_BYTES // 4 and (size := stored_bytes(wire)) > MAXIMUM_ITEM_BYTES:
        raise ValueError(
            f"The effect on {key} would store {size} bytes, DynamoDB accepts {MAXIMUM_ITEM_BYTES} in an item"
        )


def require_expression(key: Key, expression: str) -> None:
    """Raise ValueError if an update names more attributes than one expression can."""
    if len(expression) > MAXIMUM_EXPRESSION_BYTES:
        raise ValueError(
            f"The effect on {key} changes too many attributes at once: its expression has {len(expression)} bytes, "
            f"DynamoDB accepts {MAXIMUM_EXPRESSION_BYTES}; make several events of it, or one attribute of several"
        )


def require_amounts(subject: str, key: Key, amounts: Mapping[str, int]) -> None:
    """Raise TypeError or ValueError if an amount is no int, or beyond MAXIMUM_AMOUNT."""
    for name, amount in amounts.items():
        if type(amount) is not int:
            raise TypeError(f"{subject} {key}: {name} must be int, but is {type(amount).__name__}")
        if abs(amount) > MAXIMUM_AMOUNT:
            raise ValueError(f"{subject} {key}: {name} must be within +-{MAXIMUM_AMOUNT}")


def require_once(
    subject: str, key: Key, where: str, values: Mapping[str, Any], amounts: Mapping[str, int]
) -> None:
    """Raise ValueError if an attribute is changed twice, or is part of the key."""
    names = {"PK", "SK", *amounts, *values}
    if len(names) < len(amounts) + len(values) + 2:
        name = next((name for name in values if name in amounts or name in Key._fields), "PK or SK")
        raise ValueError(f"{subject} {key}: {name} is in {where}, and in amounts or the key")


def require_conflict_word(key: Key, word: str) -> None:
    """Raise ValueError if it is no such word."""
    if word not in ("refuse", "skip"):
        raise ValueError(f"on_conflict of the effect on {key} must be refuse or skip, but is {word!r}")
