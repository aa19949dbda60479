"""Dead-letter messages that were listed but not moved are counted, and the redrive is not complete."""

from typing import Any

import pytest

from outbox_cli.dead_letters.checked_redrive import Outcome
from outbox_cli.dead_letters.letters import InboxState
from outbox_cli.dead_letters.view import redrive_as_json, redrive_lines
from tests.outbox_cli.dead_letters.test_checked_redrive import Services, other_order, run
from tests.outbox_cli.dead_letters.world import World


class HidesSome(Services):
    """Another reader receives some of the messages while the first of them are moved."""

    def __getattr__(self, operation: str) -> Any:
        if operation in ("start_message_move_task", "send_message_batch"):
            self._world.system.dead_letters.receive(10, visibility_seconds=1000)
        return super().__getattr__(operation)


@pytest.mark.parametrize(("only", "has_tasks"), [(None, True), (None, False), (InboxState.UNAPPLIED, True)])
def test_letters_that_are_hidden_during_the_move_are_counted_as_left(
    only: InboxState | None, has_tasks: bool
) -> None:
    world = World()
    world.add("one", 5, copies=24)

    done = run(world, HidesSome(world, has_tasks=has_tasks), only)

    assert (done.outcome, done.moved, done.left, done.ok) == (Outcome.AS_PREDICTED, 14, 10, False)
    assert redrive_as_json(done)["complete"] is False
    assert redrive_lines(done)[-1].startswith("Left: 10 of the dead-letter messages that were listed")


def test_totals_are_not_compared_when_letters_were_left_and_others_were_applied() -> None:
    world = World()
    world.add("one", 5, copies=24)
    services = HidesSome(world, log=("APPLIED order-created:other",))

    done = run(world, services, consume=lambda: other_order(world))

    assert (done.outcome, done.left, done.ok) == (Outcome.NOT_COMPARED, 10, False)


def test_events_whose_letters_were_left_are_named_and_not_waited_for() -> None:
    world = World()
    for number in range(24):
        world.add(f"order-{number}", 5)
    waits: list[None] = []

    def consume() -> None:
        waits.append(None)
        world.settle()

    done = run(world, HidesSome(world), consume=consume)

    assert (done.outcome, len(done.unapplied), done.left, len(waits)) == (Outcome.NOT_APPLIED, 10, 10, 1)
