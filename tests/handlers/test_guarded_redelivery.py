"""Guarded effects under whatever a transport and a database do: by chance, with the seed in the test's name."""

import json
import random
from typing import Any

import pytest

from outbox.effects import Add, Effect, Put, Update
from outbox.guards import AtLeast, Below
from outbox.items import Key
from outbox.transaction import IncomingEvent
from tests.handlers.support import PROJECTION_TABLE, Recorder, cancelled, deliver, error, messages

ARTICLES, CHANGES, PIECES, ORDERS = 2, 5, 3, 6
ROUNDS = 18  # after which nothing is open but orders without a piece left
COUNTED = Add(Key("COUNT", "TOTAL"), {"n": 1})


def _effects(event_id: str) -> list[Effect]:
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


def _parse(body: str) -> IncomingEvent:
    event_id = json.loads(body)["id"]
    return IncomingEvent.of(event_id, {"id": event_id}, _effects(event_id))


def _unruly(client: Any, dice: random.Random) -> Any:
    """Now and then a conflict instead of the transaction, or its reply is lost."""

    def call(request: Any) -> Any:
        what = dice.random()
        if what < 0.2:
            reasons = ["None"] * len(request["TransactItems"])
            reasons[dice.randrange(len(reasons))] = "TransactionConflict"
            raise cancelled(*reasons)
        answer = client.transact_write_items(**request)
        if what > 0.9:
            raise error("InternalServerError")
        return answer

    return Recorder(client, default=call)


@pytest.mark.parametrize("seed", range(2))
def test_guarded_effects_end_right_in_any_order_whatever_is_repeated_refused_or_lost(
    dynamodb: Any, seed: int
) -> None:
    dice = random.Random(seed)  # noqa: S311 - chance, not a secret
    for article in range(ARTICLES):
        stock = {"PK": {"S": f"ARTICLE#{article}"}, "SK": {"S": "STOCK"}, "left": {"N": str(PIECES)}}
        dynamodb.put_item(TableName=PROJECTION_TABLE, Item=stock)
    ids = [f"price-{article}-{number}" for article in range(ARTICLES) for number in range(1, CHANGES + 1)]
    ids += [f"order-{article}-{number}" for article in range(ARTICLES) for number in range(ORDERS)]
    client = _unruly(dynamodb, dice)

    open_ids = dice.sample(ids, len(ids))
    for _ in range(ROUNDS):
        again = dice.sample(ids, 5)  # delivered once more, whether applied or not
        batch = dice.sample(open_ids + again, min(12, len(open_ids) + 5))
        reported = deliver(client, messages(*(json.dumps({"id": each}) for each in batch)), parse=_parse)
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
    assert stored["COUNT", "TOTAL"]["n"]["N"] == str(len(applied))
    assert set(open_ids) == set(ids) - applied
