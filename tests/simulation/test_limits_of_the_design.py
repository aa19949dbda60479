"""Limits of the design, seen to happen: docs/guarantees.md tells of each limit, and of the way out."""

import pytest

from tests.simulation.invariants import totals
from tests.simulation.schedules import parse
from tests.simulation.world import World
from tools.soak.system import SystemSettings

ONE_APPLIED = "place 0 0\nrun 0\nfinish"
MARKER = ("INBOX#order-created:a", "EVENT")


def _after(steps: str, settings: SystemSettings = SystemSettings()) -> World:  # noqa: B008 - frozen
    world = World(settings)
    for step in parse(steps):
        getattr(world, step.verb)(*step.numbers)
    return world


def test_marker_that_is_gone_lets_a_replayed_event_count_again() -> None:
    world = _after(ONE_APPLIED)
    before = totals(world)

    del world.system.projection.items[MARKER]
    world.send_again(0)
    world.finish()

    assert (before, totals(world)) == ((1, 1000), (2, 2000))


def test_one_total_is_written_by_every_transaction_and_shards_part_them() -> None:
    two_executions = (
        "place 0 0\nrun 0\nplace 1 0\nrun 0\nread_stream\nrun 0\nrun 0\nsettle 0\nread_stream\nrun 0"
    )

    written = {
        shards: _totals_of_pending_calls(
            _after(two_executions, SystemSettings(parallelization=2, aggregate_shards=shards))
        )
        for shards in (1, 4)
    }

    assert {shards: (len(keys), len(set(keys))) for shards, keys in written.items()} == {1: (2, 1), 4: (2, 2)}


def test_order_of_two_events_is_not_kept_by_the_queue_and_makes_no_difference() -> None:
    world = _after(
        "place 0 0\nrun 0\nplace 1 1\nrun 0\nread_stream\nrun 0\nsettle 0\nread_stream\nrun 0\nsettle 0"
    )
    sent = [message.body for message in world.system.queue.messages.values()]

    world.reorder(1)
    world.receive()
    [first] = [run.records[0]["body"] for run in world.runs if run.kind == "consumer"]
    world.finish()

    assert first == sent[1]
    assert totals(world) == (2, 3500)


@pytest.mark.parametrize(
    ("record_age_seconds", "wait"),
    [(3_600, 2), (86_400, 3)],  # 3,601 s: the mapping gives the record up; 86,401 s: the stream itself has
)
def test_record_that_grew_too_old_is_never_sent_until_reconciliation_does(
    record_age_seconds: int, wait: int
) -> None:
    settings = SystemSettings(record_age_seconds=record_age_seconds)
    world = _after(f"place 0 0\nrun 0\nwait {wait}\nfinish", settings)
    before = totals(world)

    world.reconcile()
    world.finish()

    assert (before, totals(world)) == ((0, 0), (1, 1000))


def test_message_older_than_the_queues_retention_is_never_applied_until_reconciliation_sends_it() -> None:
    world = _after("place 0 0\nrun 0\nread_stream\nrun 0\nsettle 0\nwait 3\nreceive\nfinish")
    before = totals(world)

    world.reconcile()
    world.finish()

    assert (before, totals(world)) == ((0, 0), (1, 1000))


def _totals_of_pending_calls(world: World) -> list[str]:
    """The total items that executions beside one another are about to write."""
    world.receive()
    world.receive()
    calls = [run.invocation.pending for run in world.runs if run.kind == "consumer"]
    return [
        action["Update"]["Key"]["SK"]["S"]
        for call in calls
        if call
        for action in call.request["TransactItems"]
        if "Update" in action
    ]
