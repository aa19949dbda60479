"""Values that DynamoDB never stores are refused before any call, with the attribute, its type and what is accepted."""

from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer

from outbox.commit import commit
from outbox.effects import Put, Update
from outbox.items import Key
from outbox.outgoing import OutgoingEvent
from outbox.wire import from_wire, to_wire
from tests.handlers.support import SOURCE_TABLE, Clock, Recorder

A = Key("A", "B")
ACCEPTED = (
    "must be text, int or Decimal of at most 38 digits from 1E-130 to 9.9E125, bool, None, .*, or a set"
)


def _nested(value: Any, levels: int, *, as_list: bool = False) -> Any:
    for _ in range(levels):
        value = [value] if as_list else {"in": value}
    return value


@pytest.mark.parametrize(
    ("value", "kind", "sentence"),
    [
        (1.5, TypeError, f"price {ACCEPTED} .*, but is float 1.5"),
        (float("nan"), TypeError, "price must be .*, but is float nan"),
        (object(), TypeError, "price must be .*, but is object"),
        ({1, "a"}, TypeError, "price must be .*, but is set"),
        ({"a": [1, {"b": 1.5}]}, TypeError, r"price\.a\[1\]\.b must be .*, but is float 1.5"),
        (set(), ValueError, "price must be .* a set .* that is not empty, but is set of length 0"),
        ([frozenset()], ValueError, r"price\[0\] must be .*, but is frozenset of length 0"),
        (10**38, ValueError, "price must be .* at most 38 digits.*, but is int"),
        ({"a": -(10**5000)}, ValueError, r"price\.a must be .*, but is int"),
        (Decimal("1." + "1" * 38), ValueError, "price must be .*, but is Decimal"),
        (Decimal("NaN"), ValueError, "price must be .*, but is Decimal"),
        (Decimal("-Infinity"), ValueError, "price must be .*, but is Decimal"),
        (Decimal("1E-131"), ValueError, "price must be .* from 1E-130 .*, but is Decimal"),
        (Decimal("-9.9E-131"), ValueError, "price must be .* from 1E-130 .*, but is Decimal"),
        (Decimal("1E+126"), ValueError, "price must be .* to 9.9E125, .*, but is Decimal"),
        ([{Decimal("1E+126")}], ValueError, "an element of .* must be .* to 9.9E125, .*, but is Decimal"),
        ({"n" * 65_536: 1}, ValueError, "names an attribute 'nnn.*below 64 KB"),
        ("a\ud800", ValueError, "price must be .*, but is str of length 2 with half a surrogate pair"),
        ({"a", "\udfff"}, ValueError, "an element of price must be .*, but is str of length 1 with half a"),
        ({"": 1}, ValueError, r"price names an attribute '': a name is text that is not empty"),
        ([{2: 1}], ValueError, r"price\[0\] names an attribute 2: a name is text"),
        ({"\ud800": 1}, ValueError, r"price names an attribute '\\ud800': a name is text"),
        (
            _nested("leaf", 32),
            ValueError,
            r"what price(\.in){31} holds lies deeper than the 32 levels",
        ),
        (
            _nested(1, 5_000, as_list=True),
            ValueError,
            r"what price(\[0\]){25,31} holds lies deeper than the 32 levels",
        ),
    ],
)
def test_value_that_dynamodb_never_stores_is_refused_by_its_name(
    value: Any, kind: type[Exception], sentence: str
) -> None:
    client = Recorder(None)

    def commit_it() -> None:
        commit(
            client,  # type: ignore[arg-type] # stands for a client
            table=SOURCE_TABLE,
            state={**A._asdict(), "price": value},
            event=OutgoingEvent("e-1", "{}"),
            request_fields=["price"],
            backoff=Clock().backoff(),
        )

    for build in (
        lambda: Put({**A._asdict(), "price": value}),
        lambda: Put(A._asdict(), {"price": value}),
        lambda: Update(A, {"version": 1}, {"price": value}),
        lambda: Update(A, {"price": value}, {"left": 1}),
        commit_it,
    ):
        with pytest.raises(kind, match=sentence):
            build()
    assert client.calls == []


@pytest.mark.parametrize("value", [
    "", "é", "\U0001f600", 0, -1, 10**38 - 1, True, None, b"", b"x", Decimal("1.50"), Decimal("1E+100"),
    Decimal("1E-130"),
    Decimal("9" * 38 + "E+88"), Decimal("0E-100"),
    [], {}, (1, "a"), ["a", [None, {"b": {1, 2}}]], {"a"}, {b"x"}, frozenset({1}),
    _nested("leaf", 31), _nested(1, 31, as_list=True),
])  # fmt: skip
def test_value_has_the_form_that_boto3_gives_it_and_comes_back(value: Any) -> None:
    wire = to_wire({"value": value})

    assert wire == {"value": TypeSerializer().serialize(value)}
    assert from_wire(wire)["value"] == (list(value) if isinstance(value, tuple) else value)
