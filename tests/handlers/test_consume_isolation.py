"""One message's domain code or effects, whatever is wrong with them, never fail its neighbours."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from outbox.effect_limits import MAXIMUM_AMOUNT
from outbox.effects import Add, Effect, Put, Update
from outbox.errors import InvalidInputError
from outbox.guards import Below
from outbox.items import Key
from outbox.transaction import Identity, IncomingEvent, next_transaction
from tests.handlers.support import PROJECTION_TABLE, deliver, items, messages, order_body, total

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
        lambda: [Put({"PK": "P", "SK": None})],
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


def test_effect_is_what_it_was_when_it_was_made_whatever_becomes_of_what_it_was_made_of(
    moto_dynamodb: Any,
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

    reported = _deliver(moto_dynamodb, lambda: effects)

    stored = items(moto_dynamodb, PROJECTION_TABLE)
    assert reported == []
    assert stored["STOCK"]["n"] == "6"
    assert stored["P"]["text"] == stored["SHIPMENT"]["text"] == "[{'S': 'a'}]"


def test_effects_on_99_items_and_additions_to_one_of_them_fit_one_transaction() -> None:
    most: list[Effect] = [Add(Key("P", f"{n}"), {"n": 1}) for n in range(99)]

    event = IncomingEvent.of("e", {}, [*most, *most])

    waiting = deque([event])
    assert (len(next_transaction(waiting).writes), len(waiting)) == (100, 0)


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

    # 13 * 300,000 bytes, below 4 MB
    assert [len(first.events), len(second.events), len(waiting)] == [13, 7, 0]


def test_event_above_four_megabytes_alone_is_left_to_the_judgement_of_dynamodb() -> None:
    big: list[Effect] = [Put({"PK": f"P#{n}", "SK": "S", "text": "x" * 390_000}) for n in range(11)]

    waiting = deque([IncomingEvent.of("big", {}, big)])

    assert (len(next_transaction(waiting).events), len(waiting)) == (1, 0)


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
