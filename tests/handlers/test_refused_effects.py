"""Effects that can never be stored are refused when they are made, in a sentence that names the cause."""

from collections.abc import Callable
from typing import Any

import pytest

from outbox.effects import Add, Put, Update
from outbox.guards import AtLeast, Below
from outbox.items import Key
from outbox.transaction import IncomingEvent

A = Key("A", "B")
ITEM = A._asdict()
LARGE = "x" * 409_600


def _add(amounts: Any, constants: Any = None, key: Any = A) -> object:
    return Add(key, amounts, {} if constants is None else constants)


def _put(item: Any, expected: Any = None) -> object:
    return Put(item, expected)


def _update(
    expected: Any, values: Any = None, amounts: Any = None, key: Any = A, word: Any = "refuse"
) -> object:
    return Update(key, expected, {} if values is None else values, {} if amounts is None else amounts, word)


def _event(*effects: Any) -> object:
    return IncomingEvent.of("e", {}, effects)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        # Keys
        (lambda: _add({"n": 1}, key=Key("", "B")), "needs PK, a text of 1 to 2048 UTF-8 bytes; it has str of length 0"),
        (lambda: _update({"s": 1}, {"a": 1}, key=Key("A", "")), "needs SK, a text of 1 to 1024 UTF-8 bytes"),
        (lambda: _put({"PK": "A", "SK": ""}), "needs SK, a text"),
        (lambda: _put({"PK": "A", "SK": None}), "needs SK, a text"),
        (lambda: _add({"n": 1}, key=Key("A", ["x"])), "needs SK, .* it has list"),  # type: ignore[arg-type]
        (lambda: _put({"PK": "é" * 1_025, "SK": "B"}), "needs PK, a text of 1 to 2048 UTF-8 bytes"),
        (lambda: _add({"n": 1}, key=Key("A", "é" * 513)), "needs SK, a text of 1 to 1024 UTF-8 bytes"),
        (lambda: _put({"PK": "\ud800", "SK": "B"}), "needs PK, .* with half a surrogate pair"),
        (lambda: _add({"n": 1}, key=("A", "B")), "must be a Key, but is tuple"),
        (lambda: _event(Add(Key("INBOX#f", "EVENT"), {"n": 1})), "INBOX#"),
        # Names
        (lambda: _add({"\ud800": 1}), "a name is text that is not empty"),
        (lambda: _add({"": 1}), "a name is text that is not empty"),
        (lambda: _add({"n": 1}, {"": "x"}), "a name is text that is not empty"),
        (lambda: _put({**ITEM, "": 1}), "a name is text that is not empty"),
        (lambda: _update({"s": 1}, {"": 1}), "a name is text that is not empty"),
        (lambda: _update({"s": 1}, amounts={"": 1}), "a name is text that is not empty"),
        (lambda: _update({"": 1}, {"a": 1}), "a name is text that is not empty"),
        # Mappings
        (lambda: _put(["PK", "SK"]), "must be a mapping, but is"),
        (lambda: _put(None), "must be a mapping, but is"),
        (lambda: _put(ITEM, "n"), "must be a mapping, but is"),
        (lambda: _add(1), "must be a mapping, but is"),
        (lambda: _add({"n": 1}, ["kind"]), "must be a mapping, but is"),
        (lambda: _update(["n"], {"n": 1}), "must be a mapping, but is"),
        (lambda: _update({"n": 1}, [("n", 1)]), "must be a mapping, but is"),
        (lambda: _update({"n": 1}, {}, "n"), "must be a mapping, but is"),
        # Amounts and values
        (lambda: _add({}), "Add to .* needs at least one amount"),
        *[
            (lambda amount=amount: _add({"n": amount}), "Add to .*: n must be")
            for amount in (1.5, True, "1", 10**31)
        ],
        *[
            (lambda amount=amount: _update({"n": 1}, amounts={"m": amount}), "Update of .*: m must be")
            for amount in (1.5, True, 10**31)
        ],
        (lambda: _add({"n": 1}, {"t": "\ud800"}), "t must be text, .* with half a surrogate pair"),
        (lambda: _add({"n": 1}, {"kind": 1.5}), "kind must be text, but is float"),
        (lambda: _update({"a": 1}, {"b": 1.5}), "b must be text, .* is float 1.5"),
        (lambda: _update({"a": 1.5}, {"b": 1}), "a must be text, .* is float 1.5"),
        (lambda: _update({"s": AtLeast(10**40)}, {"a": 1}), "s must be .* of at most 38 digits"),
        # Attributes changed twice, or part of the key
        (lambda: _add({"n": 1}, {"n": "text"}), "in amounts or the key"),
        (lambda: _add({"n": 1, "PK": 1}), "in amounts or the key"),
        (lambda: _add({"n": 1}, {"SK": "text"}), "in amounts or the key"),
        (lambda: _update({"m": 1}, amounts={"PK": 1}), "in amounts or the key"),
        (lambda: _update({"a": 1}, {"b": 1}, {"b": 1}), "b is in values, and in amounts"),
        (lambda: _update({"a": 1}, {"PK": "x"}), "PK is in values"),
        # Guards
        *[
            (lambda kind=kind, bound=bound: kind(bound), f"{kind.__name__} needs an int")
            for kind in (AtLeast, Below)
            for bound in ("1", 1.5, None, True)
        ],
        (lambda: _update({}, {"a": 1}), "expects nothing"),
        (lambda: _put(ITEM, {}), "expects nothing"),
        (lambda: _update({"a": 1}), "needs values or amounts"),
        (lambda: _update({"a": 1}, {"b": 1}, word="Skip"), "refuse or skip"),
        # Sizes and expressions
        (lambda: _put({**ITEM, "t": LARGE}), "would store 409\\d+ bytes, DynamoDB accepts"),
        (lambda: _put({**ITEM, "t": [{"u": "é" * 210_000}]}), "would store 42\\d+ bytes"),
        (lambda: _update({"s": 1}, {"t": LARGE}), "would store 409\\d+ bytes"),
        (lambda: _add({"n": 1}, {"t": LARGE}), "would store 409\\d+ bytes"),
        (lambda: _add({"n" * 65_000 + f"{n}": 1 for n in range(7)}), "would store 455\\d+ bytes"),
        (lambda: _add({f"n{n}": 1 for n in range(400)}), "changes too many attributes at once"),
        (lambda: _update({"n": 1}, {f"n{n}": 1 for n in range(400)}), "changes too many attributes at once"),
        (lambda: _put(ITEM, {f"n{n}": None for n in range(160)}), "160 attributes are expected, .* expect fewer"),
        (lambda: _put(ITEM, {f"n{n}": 1 for n in range(200)}), "399 operators"),
        (lambda: _put(ITEM, {"n": LARGE}), "bytes are expected of an item, which has at most"),
        # Effects of one event
        (lambda: _event(Put(ITEM), Put(ITEM)), "e changes A/B twice, which one"),
        (lambda: _event(Add(A, {"n": 1}), Update(A, {"n": 1}, amounts={"n": 1})), "e changes A/B twice, which one"),
        (
            lambda: _event(*(Put({"PK": "P", "SK": f"{n}"}) for n in range(100))),
            "e changes 100 items; one transaction takes 99",
        ),
    ],
)  # fmt: skip
def test_effect_that_can_never_be_stored_is_refused_when_it_is_made(
    make: Callable[[], object], sentence: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=sentence):
        make()
