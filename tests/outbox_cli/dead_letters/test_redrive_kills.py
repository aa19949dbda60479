"""A redrive that is killed or cut off anywhere, and started again, loses and doubles nothing."""

import contextlib
from collections import Counter
from collections.abc import Callable

import pytest
from botocore.exceptions import ReadTimeoutError

from outbox_cli.dead_letters.messages import InboxState, list_dead_letters
from outbox_cli.dead_letters.redrive import in_state, move
from outbox_cli.queue_messages import READ_MOST
from outbox_cli.stack.deployed import Stack
from tests.outbox_cli.dead_letters.world import (
    Interrupted,
    KilledError,
    World,
    chance,
    random_world,
    seen_through,
)

KILLS = 200
# What a killed process had received comes back by itself after this long.
HIDDEN_AT_MOST_SECONDS = 60


def cut_off_somewhere(seed: int, act: Callable[[Stack], object]) -> tuple[Counter[str], World]:
    """A world in which the act was cut off at a call by chance, of those that it makes undisturbed.

    With the bodies of the dead-letter messages before.
    """
    undisturbed = random_world(chance(seed))
    before = Counter(undisturbed.dead_bodies())
    counting = Interrupted(undisturbed.system, 0, chance(seed))
    act(seen_through(undisturbed.stack, counting))
    world, rng = random_world(chance(seed)), chance(seed)
    cutting = Interrupted(world.system, rng.randrange(counting.calls) + 1, rng)
    with contextlib.suppress(KilledError, ReadTimeoutError):
        act(seen_through(world.stack, cutting))
    return before, world


@pytest.mark.parametrize("seed", range(KILLS))
def test_redrive_killed_anywhere_and_repeated_loses_and_doubles_nothing(seed: int) -> None:
    rng = chance(seed)
    rate, only = rng.choice([1, 7, 500]), rng.choice([None, InboxState.UNAPPLIED, InboxState.APPLIED])

    def redrive(stack: Stack) -> None:
        move(stack, rate, in_state(only), sleep=lambda _: None)

    before, world = cut_off_somewhere(seed, redrive)
    at_the_kill = Counter(world.dead_bodies() + world.queued_bodies())
    if rng.random() < 0.5:
        world.drain()
    redrive(world.stack)
    world.system.clock.wait(HIDDEN_AT_MOST_SECONDS)
    move(world.stack, 500, in_state(InboxState.UNAPPLIED), sleep=lambda _: None)
    world.settle()

    assert at_the_kill >= before
    assert world.totals() == world.due()
    assert world.refused <= set(world.dead_bodies())
    assert not world.system.dead_letters.expired


@pytest.mark.parametrize("seed", range(20))
def test_listing_killed_anywhere_hides_no_message_for_long(seed: int) -> None:
    before, world = cut_off_somewhere(seed, lambda stack: list_dead_letters(stack, READ_MOST))
    world.system.clock.wait(HIDDEN_AT_MOST_SECONDS)
    listing = list_dead_letters(world.stack, with_bodies=True)

    assert Counter(each.body for each in listing.messages) == before
