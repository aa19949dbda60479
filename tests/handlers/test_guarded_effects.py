"""Effects that expect something of their item: what holds, what is refused, what is skipped."""

import itertools
import random
from typing import Any

import pytest

from outbox.effects import Add, Effect, Put, Update
from outbox.guards import AtLeast, Below
from outbox.items import Key
from outbox.transaction import IncomingEvent
from tests.handlers.support import (
    PROJECTION_TABLE,
    Recorder,
    cancelled,
    deliver,
    deliver_effects,
    error,
    items,
    messages,
)

PARCEL = Key("PARCEL#1", "STATE")
TOTAL = Key("TOTAL", "TOTAL")
COUNTED = Add(TOTAL, {"n": 1})
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def dynamodb(moto_dynamodb: Any) -> Any:
    return moto_dynamodb


def _stored(client: Any, pk: str = PARCEL.PK) -> dict[str, str]:
    item = items(client, PROJECTION_TABLE).get(pk, {})
    return {name: value for name, value in item.items() if name not in Key._fields}


def _parcel(**attributes: Any) -> Put:
    return Put({**PARCEL._asdict(), **attributes})


def test_update_whose_guard_holds_sets_adds_and_keeps_the_rest(dynamodb: Any) -> None:
    change = Update(PARCEL, {"status": "OPEN", "left": AtLeast(2)}, {"status": "SENT"}, {"left": -2})

    reported = deliver_effects(dynamodb, a=[_parcel(status="OPEN", left=2, owner="x")], b=[change, COUNTED])

    assert reported == []
    assert _stored(dynamodb) == {"status": "SENT", "left": "0", "owner": "x"}
    assert _stored(dynamodb, "TOTAL") == {"n": "1"}


@pytest.mark.parametrize(
    ("expected", "sentence"),
    [
        ({"status": "SENT"}, "expects another status of PARCEL#1/STATE than is stored"),
        ({"status": None}, "expects another status of"),
        ({"left": AtLeast(3), "status": "OPEN"}, "expects another left of"),
        ({"left": Below(2)}, "expects another left of"),
        ({"left": 3, "status": "SENT"}, "expects another left and status of"),
        ({"missing": AtLeast(1)}, "expects another missing of"),
        ({"left": Below(2), "status": "OPEN"}, "expects another left of"),
        ({"left": AtLeast(2), "missing": Below(1), "status": "SENT"}, "expects another status of"),
    ],
)
def test_update_whose_guard_does_not_hold_is_refused_with_its_whole_event(
    dynamodb: Any, capsys: Capture, expected: Any, sentence: str
) -> None:
    before = {"status": "OPEN", "left": "2"}
    change = Update(PARCEL, expected, {"status": "LOST"})

    reported = deliver_effects(dynamodb, a=[_parcel(status="OPEN", left=2)], b=[COUNTED, change], c=[COUNTED])

    assert reported == ["b"]
    assert (_stored(dynamodb), _stored(dynamodb, "TOTAL")) == (before, {"n": "1"})
    assert "INBOX#b" not in items(dynamodb, PROJECTION_TABLE)
    assert f"RETRY EffectRefusedError: b {sentence}" in capsys.readouterr().out


def test_update_of_a_missing_item_is_refused_until_the_item_is_there(dynamodb: Any, capsys: Capture) -> None:
    change: list[Effect] = [Update(PARCEL, {"status": "OPEN"}, {"status": "SENT"})]

    first = deliver_effects(dynamodb, b=change)
    second = deliver_effects(dynamodb, a=[_parcel(status="OPEN")], b=change)

    assert (first, second) == (["b"], [])
    assert _stored(dynamodb) == {"status": "SENT"}
    assert "b expects PARCEL#1/STATE to exist, and it does not" in capsys.readouterr().out


def test_update_that_expects_nothing_stored_creates_the_item(dynamodb: Any) -> None:
    reported = deliver_effects(dynamodb, a=[Update(PARCEL, {"at": Below(5)}, {"at": 5, "place": "x"})])

    assert reported == []
    assert _stored(dynamodb) == {"at": "5", "place": "x"}


def test_updates_that_skip_what_is_older_leave_the_newest_in_any_order(
    dynamodb: Any, capsys: Capture
) -> None:
    def at(number: int) -> list[Effect]:
        return [Update(PARCEL, {"at": Below(number)}, {"at": number}, on_conflict="skip"), COUNTED]

    reported = deliver_effects(dynamodb, b=at(2), c=at(3), a=at(1))

    assert reported == []
    assert (_stored(dynamodb), _stored(dynamodb, "TOTAL")) == ({"at": "3"}, {"n": "3"})
    assert capsys.readouterr().out.splitlines() == [
        "EFFECT_SKIPPED a PARCEL#1/STATE",
        *(f"APPLIED {name}" for name in "bca"),
    ]


def test_put_that_skips_an_existing_item_applies_the_rest(dynamodb: Any) -> None:
    again = Put({**PARCEL._asdict(), "by": "b"}, on_conflict="skip")

    reported = deliver_effects(dynamodb, a=[_parcel(by="a")], b=[again, COUNTED])

    assert reported == []
    assert (_stored(dynamodb), _stored(dynamodb, "TOTAL")) == ({"by": "a"}, {"n": "1"})
    assert {"INBOX#a", "INBOX#b"} < set(items(dynamodb, PROJECTION_TABLE))


def test_put_in_the_place_of_an_expected_item_replaces_all_of_it(dynamodb: Any) -> None:
    newer = Put({**PARCEL._asdict(), "version": 2}, expected={"version": 1})

    reported = deliver_effects(dynamodb, a=[_parcel(version=1, old="x")], b=[newer], c=[newer])

    assert reported == ["c"]
    assert _stored(dynamodb) == {"version": "2"}


def test_duplicate_of_an_event_with_guarded_effects_is_a_duplicate_and_skips_nothing(
    dynamodb: Any, capsys: Capture
) -> None:
    once: list[Effect] = [
        Update(PARCEL, {"status": None}, {"status": "SENT"}, on_conflict="skip"),
        Put({"PK": "LABEL#1", "SK": "STATE"}),
    ]

    reported = [deliver_effects(dynamodb, a=once) for _ in range(2)]

    assert reported == [[], []]
    assert capsys.readouterr().out.splitlines() == ["APPLIED a", "DUPLICATE_IGNORED a"]


def test_guarded_effects_on_one_item_never_meet_in_a_transaction(dynamodb: Any) -> None:
    steps = ["OPEN", "SENT", "DONE", "PAID"]
    changes: dict[str, list[Effect]] = {
        new: [Update(PARCEL, {"status": old}, {"status": new}), COUNTED]
        for old, new in itertools.pairwise(steps)
    }
    client = Recorder(dynamodb)

    reported = deliver_effects(client, OPEN=[_parcel(status="OPEN"), COUNTED], **changes)

    assert reported == []
    assert (_stored(dynamodb), _stored(dynamodb, "TOTAL")) == ({"status": "PAID"}, {"n": "4"})
    assert len(client.calls) == 4
    for _, request in client.calls:
        [actions] = [request["TransactItems"]]
        keys = [
            str(each["Put"]["Item"]["PK"] if "Put" in each else each["Update"]["Key"]) for each in actions
        ]
        assert len(set(keys)) == len(keys)


ARTICLES, CHANGES, PIECES, ORDERS = 2, 5, 3, 6
ROUNDS = 18  # after which nothing is open but orders without a piece left


def _shop_effects(event_id: str) -> list[Effect]:
    """Prices of which the newest wins, and orders of a piece each, which may be more than there are."""
    kind, article, number = event_id.split("-")
    if kind == "price":
        price = Key(f"ARTICLE#{article}", "PRICE")
        at = int(number)
        return [Update(price, {"at": Below(at)}, {"at": at, "cents": at * 10}, on_conflict="skip"), COUNTED]
    order = Put({"PK": f"ORDER#{article}-{number}", "SK": "STATE"})
    return [
        Update(Key(f"ARTICLE#{article}", "STOCK"), {"left": AtLeast(1)}, {}, {"left": -1}),
        order,
        COUNTED,
    ]


def _shop_event(event_id: str) -> IncomingEvent:
    return IncomingEvent.of(event_id, {}, _shop_effects(event_id))


def _unruly(client: Any, chance: random.Random) -> Any:
    """Now and then a conflict instead of the transaction, or its reply is lost."""

    def call(request: Any) -> Any:
        what = chance.random()
        if what < 0.2:
            reasons = ["None"] * len(request["TransactItems"])
            reasons[chance.randrange(len(reasons))] = "TransactionConflict"
            raise cancelled(*reasons)
        answer = client.transact_write_items(**request)
        if what > 0.9:
            raise error("InternalServerError")
        return answer

    return Recorder(client, default=call)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_guarded_effects_end_right_in_any_order_whatever_is_repeated_refused_or_lost(
    dynamodb: Any, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - chance, not a secret
    for article in range(ARTICLES):
        stock = {"PK": {"S": f"ARTICLE#{article}"}, "SK": {"S": "STOCK"}, "left": {"N": str(PIECES)}}
        dynamodb.put_item(TableName=PROJECTION_TABLE, Item=stock)
    ids = [f"price-{article}-{number}" for article in range(ARTICLES) for number in range(1, CHANGES + 1)]
    ids += [f"order-{article}-{number}" for article in range(ARTICLES) for number in range(ORDERS)]
    client = _unruly(dynamodb, chance)

    open_ids = chance.sample(ids, len(ids))
    for _ in range(ROUNDS):
        again = chance.sample(ids, 5)  # delivered once more, whether applied or not
        batch = chance.sample(open_ids + again, min(12, len(open_ids) + 5))
        reported = deliver(client, messages(*batch), parse=_shop_event)
        failed = {batch[int(message_id.removeprefix("m-")) - 1] for message_id in reported}
        open_ids = [each for each in open_ids if each not in batch or each in failed]

    stored = {
        (item["PK"]["S"], item["SK"]["S"]): item
        for item in dynamodb.scan(TableName=PROJECTION_TABLE)["Items"]
    }
    applied = {pk.removeprefix("INBOX#") for pk, _ in stored if pk.startswith("INBOX#")}
    for name in map(str, range(ARTICLES)):
        orders = [pk for pk, _ in stored if pk.startswith(f"ORDER#{name}-")]
        price = stored[f"ARTICLE#{name}", "PRICE"]
        assert (price["at"]["N"], price["cents"]["N"]) == (str(CHANGES), str(CHANGES * 10))
        assert stored[f"ARTICLE#{name}", "STOCK"]["left"]["N"] == "0"
        assert len(orders) == PIECES
    assert len(applied) == ARTICLES * (CHANGES + PIECES)
    assert stored["TOTAL", "TOTAL"]["n"]["N"] == str(len(applied))
    assert set(open_ids) == set(ids) - applied
