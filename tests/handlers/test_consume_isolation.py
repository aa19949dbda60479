"""One message's domain code or effects, whatever is wrong with them, never fail its neighbours."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

import orders
from outbox.effect_limits import MAXIMUM_AMOUNT
from outbox.effects import Add, Effect, Put, Update, merge
from outbox.errors import InvalidInputError
from outbox.guards import AtLeast, Below
from outbox.items import Key
from outbox.transaction import Identity, IncomingEvent, next_transaction
from tests.handlers.support import PROJECTION_TABLE, Recorder, deliver, items, messages, order_body, total

STOCK, SHIPMENT = Key("STOCK", "TOTAL"), Key("SHIPMENT", "STATE")
COUNTED = Add(STOCK, {"n": 1})


def _deliver(client: Any, bad: Callable[[], Any], size: int = 5) -> list[str]:
    """One batch of good events with a bad one in the middle, whose effects, or whole answer, are made by `bad`."""

    def parse(body: str) -> Any:
        event_id = json.loads(body)
        if event_id != "bad":
            return IncomingEvent.of(event_id, {}, [COUNTED])
        made = bad()
        return IncomingEvent.of("bad", {}, made) if isinstance(made, list) else made

    ids = [*(f"good-{n}" for n in range(size // 2)), "bad", *(f"also-{n}" for n in range(size // 2))]
    return deliver(client, messages(*map(json.dumps, ids)), parse=parse)


class Late(Mapping[str, int]):
    """A mapping that is fine when an effect is made of it, and raises when a request is."""

    is_late = False

    def __getitem__(self, name: str) -> int:
        return {"n": 1}[name]

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        if self.is_late:
            raise LookupError("too late")
        return iter("n")


def _generated() -> Iterator[Effect]:
    yield Add(STOCK, {"n": 100})


@pytest.mark.parametrize(
    "bad",
    [
        lambda: None,
        lambda: {"event_id": "bad"},
        lambda: ("bad", []),
        lambda: ["no effect"],
        lambda: [Add(STOCK, {"n": 1}, {"kind": 1.5})],  # type: ignore[dict-item] # what a caller may do
        lambda: [Add(STOCK, {"n": 1}, {"n": "text"})],
        lambda: [Add(STOCK, {"n": 1}, {"PK": "OTHER"})],
        lambda: [Add(Key("STOCK", 7), {"n": 1})],  # type: ignore[arg-type] # what a caller may do
        lambda: [Add(Key("STOCK", []), {"n": 1})],  # type: ignore[arg-type] # what a caller may do
        lambda: [Put({"PK": "P", "SK": None})],
        lambda: [Update(SHIPMENT, {"left": AtLeast("1")}, amounts={"left": -1})],  # type: ignore[arg-type] # as above
        lambda: IncomingEvent(Identity("bad", "digest"), _generated()),  # type: ignore[arg-type] # as above
        lambda: IncomingEvent(Identity("", "digest"), (COUNTED,)),
        lambda: IncomingEvent(Identity("bad", 1.5), (COUNTED,)),  # type: ignore[arg-type] # as above
        lambda: IncomingEvent(Identity("bad", {}), (COUNTED,)),  # type: ignore[arg-type] # as above
        lambda: IncomingEvent(Identity("bad", "\ud800"), (COUNTED,)),
        lambda: IncomingEvent(("bad", "digest"), (COUNTED,)),  # type: ignore[arg-type] # as above
        lambda: IncomingEvent(Identity("bad", "digest"), (COUNTED,), 1.5),  # type: ignore[arg-type] # as above
    ],
)
def test_event_that_is_none_or_has_unusable_effects_fails_alone(
    dynamodb: Any, bad: Callable[[], Any]
) -> None:
    reported = _deliver(dynamodb, bad)

    assert reported == ["m-3"]
    assert items(dynamodb, PROJECTION_TABLE)["STOCK"]["n"] == "4"
    assert "INBOX#bad" not in items(dynamodb, PROJECTION_TABLE)


@pytest.mark.parametrize(
    ("effects", "sentence"),
    [
        ([Put({"PK": "P", "SK": "S"}), Put({"PK": "P", "SK": "S"})], "e changes P/S twice, which one"),
        ([COUNTED, Update(STOCK, {"n": 1}, amounts={"n": 1})], "e changes STOCK/TOTAL twice, which one"),
        (
            [Put({"PK": "P", "SK": f"{n}"}) for n in range(100)],
            "e changes 100 items; one transaction takes 99",
        ),
    ],
)
def test_effects_that_no_transaction_takes_are_refused_when_the_event_is_made(
    effects: list[Effect], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        IncomingEvent.of("e", {}, effects)


def test_effect_is_what_it_was_when_it_was_made_whatever_becomes_of_what_it_was_made_of(
    dynamodb: Any,
) -> None:
    late, amounts, text = Late(), {"n": 1}, ["a"]
    effects = [
        Add(STOCK, late),
        Add(STOCK, amounts),
        Put({"PK": "P", "SK": "S", "text": text}),
        Update(SHIPMENT, {"n": None}, {"text": text}),
    ]
    late.is_late = True
    amounts["n"] = MAXIMUM_AMOUNT
    text.append("b")

    reported = _deliver(dynamodb, lambda: effects)

    stored = items(dynamodb, PROJECTION_TABLE)
    assert reported == []
    assert stored["STOCK"]["n"] == "6"
    assert stored["P"]["text"] == stored["SHIPMENT"]["text"] == "[{'S': 'a'}]"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Put(["PK", "SK"]),  # type: ignore[arg-type] # what a caller may do
        lambda: Put(None),  # type: ignore[arg-type] # as above
        lambda: Put({"PK": "P", "SK": "S"}, "n"),  # type: ignore[arg-type] # as above
        lambda: Add(STOCK, 1),  # type: ignore[arg-type] # as above
        lambda: Add(STOCK, {"n": 1}, ["kind"]),  # type: ignore[arg-type] # as above
        lambda: Update(SHIPMENT, ["n"], {"n": 1}),  # type: ignore[arg-type] # as above
        lambda: Update(SHIPMENT, {"n": 1}, [("n", 1)]),  # type: ignore[arg-type] # as above
        lambda: Update(SHIPMENT, {"n": 1}, {}, "n"),  # type: ignore[arg-type] # as above
    ],
)
def test_effect_of_what_is_no_mapping_is_refused_by_name(make: Callable[[], Effect]) -> None:
    with pytest.raises(TypeError, match="must be a mapping, but is"):
        make()


def test_effects_on_99_items_and_additions_to_one_of_them_fit_one_transaction() -> None:
    most: list[Effect] = [Add(Key("P", f"{n}"), {"n": 1}) for n in range(99)]

    event = IncomingEvent.of("e", {}, [*most, *most])

    waiting = deque([event])
    assert (len(next_transaction(waiting).writes), len(waiting)) == (100, 0)


@pytest.mark.parametrize("expectation", [AtLeast, Below])
@pytest.mark.parametrize("bound", ["1", 1.5, None, True])
def test_bound_that_is_no_whole_number_is_refused(expectation: Any, bound: Any) -> None:
    with pytest.raises(TypeError, match=f"{expectation.__name__} needs an int"):
        expectation(bound)


def test_additions_that_fit_alone_but_not_together_are_stored_in_turn(dynamodb: Any) -> None:
    client = Recorder(dynamodb)
    most = Add(STOCK, {"n": MAXIMUM_AMOUNT})

    reported = deliver(
        client,
        messages(*map(json.dumps, "ab")),
        parse=lambda body: IncomingEvent.of(body, {}, [most]),
    )

    assert merge(most, most) is None
    assert merge(Add(STOCK, {"n": 1}), Add(STOCK, {"m": 1}, {"n": "text"})) is None
    assert reported == []
    assert len(client.calls) == 2
    assert items(dynamodb, PROJECTION_TABLE)["STOCK"]["n"] == str(2 * MAXIMUM_AMOUNT)


def test_item_above_the_limit_of_dynamodb_fails_alone(dynamodb: Any) -> None:
    reported = _deliver(dynamodb, lambda: [Put({"PK": "P", "SK": "S", "text": "x" * 420_000})])

    assert reported == ["m-3"]
    assert items(dynamodb, PROJECTION_TABLE)["STOCK"]["n"] == "4"


@pytest.mark.parametrize(
    "effect",
    [
        lambda n: Put({"PK": f"P#{n}", "SK": "S", "text": "é" * 150_000}),
        lambda n: Update(Key(f"P#{n}", "S"), {"at": Below(1)}, {"text": "é" * 150_000}),
        lambda n: Add(Key(f"P#{n}", "S"), {"n": 1}, {"text": "é" * 150_000}),
    ],
)
def test_events_above_four_megabytes_together_go_in_several_transactions(
    effect: Callable[[int], Effect],
) -> None:
    waiting = deque(IncomingEvent.of(f"e-{n}", {}, [effect(n)]) for n in range(20))

    first, second = next_transaction(waiting), next_transaction(waiting)

    assert [len(first.events), len(second.events), len(waiting)] == [
        13,
        7,
        0,
    ]  # 13 * 300,000 bytes, below 4 MB


def test_event_above_four_megabytes_alone_is_left_to_the_judgement_of_dynamodb() -> None:
    big: list[Effect] = [Put({"PK": f"P#{n}", "SK": "S", "text": "x" * 390_000}) for n in range(11)]

    waiting = deque([IncomingEvent.of("big", {}, big)])

    assert (len(next_transaction(waiting).events), len(waiting)) == (1, 0)


def test_orders_consumer_with_a_parser_that_answers_nothing_says_what_it_must_answer(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def parse(body: str) -> Any:
        return orders.sales().parse(body) if "order-created:a" in body else None

    reported = deliver(dynamodb, messages(order_body("a", 1), order_body("b", 2)), parse=parse)

    assert (reported, total(dynamodb)) == (["m-2"], (1, 1))
    sentence = (
        "RETRY InvalidInputError: parse must answer an IncomingEvent, but answered null order-created:b"
    )
    assert sentence in capsys.readouterr().out.splitlines()


def test_failed_event_whose_id_is_part_of_the_errors_words_is_named_all_the_same(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def parse(body: str) -> Any:
        raise InvalidInputError("no such event")

    deliver(dynamodb, [{"messageId": "m-1", "body": '{"event_id": "e"}'}], parse=parse)

    assert "RETRY InvalidInputError: no such event e" in capsys.readouterr().out.splitlines()


def test_foreign_item_with_a_number_of_121_digits_under_a_markers_key_fails_its_own_event_alone(
    dynamodb: Any,
) -> None:
    marker = {"PK": {"S": "INBOX#order-created:b"}, "SK": {"S": "EVENT"}, "n": {"N": "1" + "0" * 120}}
    dynamodb.put_item(TableName=PROJECTION_TABLE, Item=marker)

    reported = deliver(dynamodb, messages(order_body("a", 1), order_body("b", 2)))

    assert (reported, total(dynamodb)) == (["m-2"], (1, 1))


@pytest.mark.parametrize(
    ("make", "subject"),
    [
        (lambda amounts: Add(STOCK, amounts), "Add to"),
        (lambda amounts: Update(STOCK, {"n": 1}, amounts=amounts), "Update of"),
    ],
)
@pytest.mark.parametrize("amounts", [{"m": 1.5}, {"m": 10**31}])
def test_refused_amount_is_told_of_the_effect_that_has_it(
    make: Callable[[Mapping[str, Any]], Effect], subject: str, amounts: Mapping[str, Any]
) -> None:
    with pytest.raises((TypeError, ValueError), match=subject):
        make(amounts)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Add(STOCK, {"n": 1}, {"n": "text"}),
        lambda: Add(STOCK, {"n": 1, "PK": 1}),
        lambda: Add(STOCK, {"n": 1}, {"SK": "text"}),
        lambda: Update(STOCK, {"m": 1}, amounts={"PK": 1}),
    ],
)
def test_attribute_that_is_changed_twice_or_part_of_the_key_is_refused(make: Callable[[], Effect]) -> None:
    with pytest.raises(ValueError, match="in amounts or the key"):
        make()
