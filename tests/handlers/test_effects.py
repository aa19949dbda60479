"""Effects as data, and what they do to a table."""

from typing import Any

import pytest

from outbox.canonical import parse_json
from outbox.effect_limits import MAXIMUM_AMOUNT
from outbox.effects import Add, Effect, Put, Update, merge
from outbox.errors import InvalidInputError
from outbox.guards import AtLeast
from outbox.intents import intent
from outbox.items import Key
from outbox.outgoing import OutgoingEvent
from outbox.transaction import IncomingEvent
from tests.handlers.support import PROJECTION_TABLE, Recorder, deliver_effects, items

STOCK = Key("STOCK", "TOTAL")


def test_add_of_reserved_words_and_several_amounts_is_applied(moto_dynamodb: Any) -> None:
    effect = Add(STOCK, {"count": 2, "size": -5}, {"status": "OPEN"})

    reported = deliver_effects(moto_dynamodb, a=[effect], b=[effect])

    assert reported == []
    stock = items(moto_dynamodb, PROJECTION_TABLE)["STOCK"]
    assert (stock["count"], stock["size"], stock["status"]) == ("4", "-10", "OPEN")


def test_add_with_other_attributes_merges_into_their_union() -> None:
    merged = merge(Add(STOCK, {"in": 1, "out": 2}), Add(STOCK, {"out": 3, "left": 4}, {"kind": "K"}))

    assert merged == Add(STOCK, {"in": 1, "out": 5, "left": 4}, {"kind": "K"})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Add(STOCK, {"n": 1}, {"kind": "A"}), Add(STOCK, {"n": 1}, {"kind": "B"})),
        (Add(STOCK, {"n": MAXIMUM_AMOUNT}), Add(STOCK, {"n": MAXIMUM_AMOUNT})),
        (Add(STOCK, {"n": 1}), Add(STOCK, {"m": 1}, {"n": "text"})),
        (Add(STOCK, {"n": 1}), Update(STOCK, {"n": AtLeast(1)}, {}, {"n": -1})),
        (Add(STOCK, {f"a{n}": 1 for n in range(200)}), Add(STOCK, {f"b{n}": 1 for n in range(200)})),
    ],
    ids=["constant", "amount", "amount and constant", "guard", "expression"],
)
def test_effects_that_one_effect_cannot_say_do_not_merge(first: Effect, second: Effect) -> None:
    assert [merge(first, second), merge(second, first)] == [None, None]


@pytest.mark.parametrize("amount", [1, MAXIMUM_AMOUNT])
def test_additions_that_do_not_merge_are_stored_in_turn(dynamodb: Any, amount: int) -> None:
    client = Recorder(dynamodb)
    first, second = (Add(STOCK, {"n": amount}, {"kind": kind}) for kind in "AB")

    reported = deliver_effects(client, a=[first], b=[second])

    assert (reported, len(client.calls)) == ([], 2)
    assert items(dynamodb, PROJECTION_TABLE)["STOCK"]["n"] == str(2 * amount)


def test_shard_zero_is_the_item_itself_and_the_others_are_numbered() -> None:
    assert [STOCK.shard(number) for number in (0, 1, 19)] == [
        STOCK,
        Key("STOCK", "TOTAL#1"),
        Key("STOCK", "TOTAL#19"),
    ]


def test_put_over_an_existing_item_fails_that_event_alone(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shipment = Put({"PK": "SHIPMENT#1", "SK": "STATE"})

    reported = deliver_effects(dynamodb, a=[shipment], b=[shipment], c=[Add(STOCK, {"n": 1})])

    assert reported == ["b"]
    assert set(items(dynamodb, PROJECTION_TABLE)) == {"INBOX#a", "INBOX#c", "SHIPMENT#1", "STOCK"}
    assert "RETRY EffectRefusedError: b would store an item that exists already" in capsys.readouterr().out


@pytest.mark.parametrize("event_id", ["", "é" * 513, "\ud800", None])
def test_event_id_that_cannot_be_part_of_a_key_is_refused(event_id: Any) -> None:
    for use in (
        lambda: IncomingEvent.of(event_id, {}, []),
        lambda: OutgoingEvent(event_id, "{}"),
        lambda: intent(event_id, "send-mail", {}),
    ):
        with pytest.raises(InvalidInputError, match="event_id must be text of 1 to 1024 UTF-8 bytes, but is"):
            use()


@pytest.mark.parametrize("text", ["-" + "9" * 38, "9" * 38])
def test_parse_json_keeps_the_largest_number_dynamodb_stores(text: str) -> None:
    assert parse_json(text) == int(text)


A = Key("A", "B")


def test_item_just_within_the_limit_is_accepted_however_long_its_python_form_is() -> None:
    item = {"PK": "A", "SK": "B", "t": "\x00" * 400_000, "b": b"\x00" * 9_000}

    assert Put(item).item == item


def test_item_of_exactly_the_limit_is_accepted() -> None:
    assert Put({"PK": "A", "SK": "B", "t": "x" * (409_600 - len("PKASKBt"))}).key == A
