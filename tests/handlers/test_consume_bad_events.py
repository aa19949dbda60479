"""Bad events among good ones, wherever they are, cost no good one its place."""

import itertools
import random
import re
from collections.abc import Iterable, Iterator, Mapping

import pytest

from outbox.effects import Put
from outbox.retry import RESERVE_SECONDS
from outbox.transaction import IncomingEvent
from tests.handlers.refusing import Cause, RefusingTable, event, events, unapplied
from tests.handlers.support import RECEIVE_LIMIT, Clock

FEW, FULL = 12, 49  # two actions an event and the sum, so that 49 are one transaction
MANY = 99  # and these are several
CALL_SECONDS = 1.0
CALLS_LEAST = 4  # for a conflict: three tries together, and one without what is in conflict
SAID = dict.fromkeys(Cause, "was refused by DynamoDB: .*Validation") | {
    Cause.CONFLICT: "is not known to be stored: .*TransactionConflict"
}


def _subsets() -> Iterator[set[int]]:
    for chosen in itertools.product([False, True], repeat=FEW):
        yield set(itertools.compress(range(FEW), chosen))


def _at_random(size: int, causes: Iterable[Cause], seed: str) -> dict[int, Cause]:
    """From one bad event to all of them, anywhere, each for one of the causes."""
    chance = random.Random(seed)  # noqa: S311 - repeatable
    return {n: chance.choice(list(causes)) for n in chance.sample(range(size), chance.randint(1, size))}


def _apply_at_once(size: int, bad: Mapping[int, Cause]) -> int:
    """One invocation with enough time: who is applied, and what is said of the others; how many calls it took."""
    table = RefusingTable(bad, Clock())

    outcomes = table.receive(events(size, bad))

    assert table.applied == set(range(size)) - bad.keys(), sorted(bad)
    for number, outcome in enumerate(outcomes):
        if number in bad:
            assert re.match(f"e-{number} {SAID[bad[number]]}", str(outcome)), outcome
        else:
            assert outcome == "APPLIED"
    return table.calls


@pytest.mark.parametrize("cause", Cause)
@pytest.mark.parametrize("share", [pytest.param(1, marks=pytest.mark.thorough), 16])
def test_every_good_event_of_twelve_is_applied_at_once_whichever_are_bad(cause: Cause, share: int) -> None:
    calls = [_apply_at_once(FEW, dict.fromkeys(bad, cause)) for bad in list(_subsets())[::share]]

    print(f"{cause.name}: {len(calls)} subsets of {FEW} events, at most {max(calls)} calls")  # noqa: T201 - how far the search went
    assert len(calls) >= 4096 // share
    assert cause is Cause.CONFLICT or max(calls) <= 1 + FEW


@pytest.mark.parametrize(
    "causes", [*([cause] for cause in Cause), list(Cause)], ids=lambda causes: causes[-1].name
)
@pytest.mark.parametrize("batches", [pytest.param(60, marks=pytest.mark.thorough), 12])
def test_every_good_event_of_a_full_batch_is_applied_at_once_wherever_the_bad_ones_are(
    causes: list[Cause], batches: int
) -> None:
    drawn = [_at_random(MANY, causes, f"{causes}, {seed}") for seed in range(batches)]
    drawn += [dict.fromkeys(range(first, first + 13), causes[0]) for first in (0, 43, 86)]

    calls = [_apply_at_once(MANY, bad) for bad in drawn]

    print(f"{len(calls)} batches of {MANY} events, at most {max(calls)} calls")  # noqa: T201 - how far the search went
    assert len(calls) >= batches + 3
    # The first ones merge into up to eight transactions, where their additions name many attributes.
    assert Cause.CONFLICT in causes or max(calls) <= 8 + MANY


def _receive_until_dead(bad: Mapping[int, Cause], size: int, calls: int, seed: str) -> set[int]:
    """As many receives as the queue allows, each with time for so many calls; the good events that are not applied."""
    chance = random.Random(seed).random  # noqa: S311 - repeatable
    clock = Clock()
    table = RefusingTable(bad, clock, CALL_SECONDS)
    waiting = events(size, bad)
    for _ in range(RECEIVE_LIMIT):
        clock.remaining = RESERVE_SECONDS + CALL_SECONDS * (calls - 1)
        waiting = unapplied(waiting, table.receive(waiting, chance))
    return set(range(size)) - bad.keys() - table.applied


@pytest.mark.parametrize("cause", Cause)
@pytest.mark.parametrize("share", [pytest.param(1, marks=pytest.mark.thorough), 32])
def test_with_time_for_the_bad_ones_and_a_fifth_of_the_good_ones_no_good_event_dies(
    cause: Cause, share: int
) -> None:
    dead = {}
    chosen = list(_subsets())[::share]
    for bad in chosen:
        calls = 1 + len(bad) + -(-(FEW - len(bad)) // RECEIVE_LIMIT)
        if left := _receive_until_dead(dict.fromkeys(bad, cause), FEW, max(calls, CALLS_LEAST), f"{bad}"):
            dead[frozenset(bad)] = left

    print(f"{cause.name}: {len(chosen)} subsets of {FEW} events, delivered up to {RECEIVE_LIMIT} times")  # noqa: T201 - how far the search went
    assert dead == {}
    assert len(chosen) >= 4096 // share


def test_bad_events_that_come_first_and_take_all_the_time_do_not_keep_the_good_ones_waiting() -> None:
    bad = dict.fromkeys(range(20), Cause.VALUE)

    assert _receive_until_dead(bad, FULL, calls=25, seed="any") == set()


def test_events_that_are_refused_only_together_are_all_applied() -> None:
    table = RefusingTable({}, Clock())

    outcomes = table.receive([event(number, names=6) for number in range(FULL)])

    assert outcomes == ["APPLIED"] * FULL
    assert table.applied == set(range(FULL))
    assert table.calls == 1 + FULL


def test_refused_addition_costs_events_of_other_items_no_transaction_of_their_own() -> None:
    others = [IncomingEvent.of(f"o-{n}", {}, []) for n in range(70)]
    bad = dict.fromkeys(range(3), Cause.SHARED_ADD)
    table = RefusingTable(bad, Clock())

    outcomes = table.receive([*events(10, bad), *others])

    assert outcomes[3:] == ["APPLIED"] * 77
    assert table.calls == 1 + 1 + 10


def test_skipped_effects_beside_a_refused_event_cost_one_more_transaction_each() -> None:
    table = RefusingTable({10: Cause.VALUE}, Clock())
    table.receive(events(10, {}))
    before = table.calls
    stale = [Put({"PK": f"ITEM#{n}", "SK": "S"}, on_conflict="skip") for n in range(10)]

    outcomes = table.receive(
        [event(10), *(IncomingEvent.of(f"s-{n}", {}, [each]) for n, each in enumerate(stale))]
    )

    assert outcomes[1:] == ["APPLIED"] * 10
    assert table.calls - before == 1 + 11 + 10
