"""What a valid order is, as a command and as an event."""

import json
from typing import Any

import pytest

import orders
from outbox.errors import InvalidInputError


def _event(**changes: Any) -> str:
    content = {"event_id": "order-created:a", "type": "OrderCreated", "order_id": "a", "amount_cents": 1000}
    return json.dumps({**content, **changes})


@pytest.mark.parametrize(
    ("amount", "described"),
    [
        (19.99, "float 19.99"),
        (1e3, "float 1000.0"),
        (float("nan"), "float nan"),
        ("1000", "str of length 4"),
        (True, "bool True"),
        (-1, "int -1"),
        (0, "int 0"),
        (1_000_001, "int 1000001"),
        (10**40, "int"),
        pytest.param(10**5000, "int", id="huge"),
        (None, "null"),
        ([1], "list of length 1"),
    ],
)
def test_command_with_bad_amount_is_refused_with_its_type(amount: object, described: str) -> None:
    command = {"order_id": "a", "amount_cents": amount}

    with pytest.raises(InvalidInputError) as raised:
        orders.parse_command(command)

    assert str(raised.value) == f"amount_cents must be a whole number from 1 to 1000000, but is {described}"


@pytest.mark.parametrize("amount", [1, 1_000_000])
def test_command_with_amount_at_the_edge_is_accepted(amount: int) -> None:
    command = {"order_id": "a", "amount_cents": amount}

    order = orders.parse_command(command)

    assert order == orders.Order("a", amount)


@pytest.mark.parametrize(
    "order_id", ["", "A", "a b", "a\n", "\na", "ä", "a" * 41, None, 7, True, ["a"], {"a": 1}]
)
def test_command_with_bad_order_id_is_refused_without_repeating_it(order_id: object) -> None:
    command = {"order_id": order_id, "amount_cents": 1}

    with pytest.raises(InvalidInputError, match="order_id must be text of 1-40 lowercase letters") as raised:
        orders.parse_command(command)

    assert not isinstance(order_id, str) or str(raised.value).endswith(
        f"but is str of length {len(order_id)}"
    )


@pytest.mark.parametrize("order_id", ["a", "0", "-", "a" * 40, "order-a"])
def test_command_with_good_order_id_is_accepted(order_id: str) -> None:
    order = orders.parse_command({"order_id": order_id, "amount_cents": 1})

    assert order.event_id == f"order-created:{order_id}"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (None, "must be an object with order_id, amount_cents, but is null"),
        ([], "but is list of length 0"),
        ("text", "but is str of length 4"),
        ({}, "but lacks order_id, amount_cents"),
        ({"order_id": "a"}, "but lacks amount_cents"),
        ({"order_id": "a", "amount_cents": 1, "coupon": "x"}, "but also has 'coupon'"),
        ({"order_id": "a", "amount_cents": 1, "x": 1, "y": 2, "z": 3}, "but also has 'x', 'y', 'z'"),
        ({"order_id": "a", "amount": 1}, "but lacks amount_cents and also has 'amount'"),
    ],
)
def test_command_of_another_shape_is_refused_naming_the_fields(command: object, sentence: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        orders.parse_command(command)

    assert str(raised.value).endswith(sentence)


def test_event_body_is_the_canonical_json_of_the_walkthrough() -> None:
    event = orders.event_of(orders.Order("order-a", 1000))

    assert event.event_id == "order-created:order-a"
    assert event.body == (
        '{"amount_cents":1000,"event_id":"order-created:order-a","order_id":"order-a","type":"OrderCreated"}'
    )


def test_event_in_another_spelling_has_the_same_digest() -> None:
    canonical = orders.event_of(orders.Order("a", 1000)).body
    spaced = json.dumps(dict(reversed(json.loads(canonical).items())), indent=2)

    first, second = orders.sales().parse(canonical), orders.sales().parse(spaced)

    assert first == second


def test_event_digest_is_sha256_of_the_canonical_json() -> None:
    event = orders.sales().parse(_event())

    assert (
        event.identity.digest == "d7c68df526814c7824d0d228737980fd852c36b2fb73a4fb0fe4d320239b103f"
    )  # computed with sha256sum


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("null", "must be an object"),
        ("[]", "must be an object"),
        ('"text"', "must be an object"),
        ("7", "must be an object"),
        pytest.param("[" * 3_000_000, "nested too deeply", id="nested lists"),
        pytest.param('{"a":' * 100_000, "nested too deeply", id="nested objects"),
        (_event(amount_cents=1.5), "fraction or an exponent"),
        (_event().replace("1000", "1e3"), "fraction or an exponent"),
        (_event(amount_cents=float("nan")), "not finite"),
        (_event(amount_cents=float("inf")), "not finite"),
        (_event(amount_cents=10**40), "more than 38 digits"),
        pytest.param(_event().replace("1000", "1" * 5000), "more than 38 digits", id="huge"),
        (_event(amount_cents=True), "amount_cents must be a whole number"),
        (_event(amount_cents="1000"), "amount_cents must be a whole number"),
        (_event(amount_cents=0), "amount_cents must be a whole number"),
        (_event(order_id="a\n"), "order_id must be text"),
        (_event(order_id="\ud800"), "order_id must be text"),
        (_event(order_id="b"), "event_id must be order-created:b"),
        (_event(event_id=["order-created:a"]), "event_id and type of the event must be text"),
        (
            _event(type="OrderCreated2"),
            "of the type 'OrderCreated2' and version 1; understood are OrderCreated 1",
        ),
        (_event(version=2), "of the type 'OrderCreated' and version 2; understood are OrderCreated 1"),
        (_event(coupon="x"), "also has 'coupon'"),
        ("{}", "event_id and type of the event must be text, but are null and null"),
        ('{"event_id": "order-created:a", "type": "OrderCreated"}', "lacks order_id, amount_cents"),
        (_event()[:-1] + ', "amount_cents": 1000}', "names the same field twice"),
    ],
)
def test_event_of_another_form_is_refused_with_its_reason(body: str, sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        orders.sales().parse(body)


class Unwalked(list[Any]):
    """A nested value, however large, of which nothing is looked at."""

    def __iter__(self) -> Any:
        raise AssertionError("walked")

    def __repr__(self) -> str:
        raise AssertionError("written out")


@pytest.mark.parametrize("field", ["order_id", "amount_cents", None])
def test_command_nested_to_six_megabytes_is_refused_without_walking_it(field: str | None) -> None:
    command = Unwalked() if field is None else {"order_id": "a", "amount_cents": 1, field: Unwalked()}

    with pytest.raises(InvalidInputError):
        orders.parse_command(command)
