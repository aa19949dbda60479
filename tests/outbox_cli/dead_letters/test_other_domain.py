"""The dead-letter queue of a domain that knows no orders: each event by its identity."""

import json
from typing import Any

import pytest

import inventory
from outbox.consume import consume
from outbox.invocation import records_of
from outbox.retry import Backoff
from outbox_cli.dead_letters import commands
from outbox_cli.dead_letters.messages import InboxState, list_dead_letters
from outbox_cli.dead_letters.redrive import redrive
from outbox_cli.waiting import Wait
from tests.outbox_cli.dead_letters.typed import run
from tests.outbox_cli.dead_letters.world import World

TEA = {"reservation_id": "r-1", "article": "tea", "warehouse": "north", "pieces": 5}
EVENT = "stock-reserved:r-1"


def reserved(number: int, pieces: int = 5) -> str:
    fields = {**TEA, "reservation_id": f"r-{number}", "pieces": pieces}
    return inventory.RESERVED.event(f"stock-reserved:r-{number}", fields).body


class Inventory(World):
    """The simulated system with the inventory's consumer in place of the orders'."""

    def consumer(self, event: Any) -> Any:
        return consume(
            self.client("dynamodb"),
            table=self.stack["projection_table_name"],
            records=records_of(event),
            parse=inventory.LEVELS.parse,
            backoff=Backoff(self.remaining_seconds, self.sleep, self.random),
        )

    def apply(self, text: str) -> None:
        self.system.queue.send(text)
        self.drain()

    def level(self) -> Any:
        items = self.system.projection.items
        return items["ARTICLE#tea", "LEVEL#north"]["reserved"]["N"]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Inventory:
    world = Inventory()
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: world.stack)
    return world


def fill(world: Inventory) -> None:
    world.apply(reserved(2))
    world.apply(reserved(3))
    for text in (reserved(1), reserved(2), reserved(3, pieces=6), "nonsense"):
        world.system.dead_letters.send(text)


def test_events_of_another_domain_have_the_state_that_the_inbox_says(world: Inventory) -> None:
    fill(world)

    lines = run("list").stdout.splitlines()

    assert [line.split()[0] for line in lines[:4]] == ["unapplied", "applied", "conflicting", "unreadable"]
    assert lines[0].endswith(f"  {EVENT}")


def test_redrive_applies_them(world: Inventory) -> None:
    world.system.dead_letters.send(reserved(1))

    done = redrive(world.stack, 1, None, Wait(1, sleep=lambda _: world.settle()), sleep=lambda _: None)

    assert (done.ok, world.level()) == (True, "5")


def test_valid_event_is_never_deleted_as_unreadable(world: Inventory) -> None:
    world.system.dead_letters.send(reserved(1))

    result = run("delete", "dead-letters-1", "--only", "unreadable")

    assert result.exit_code == 1
    assert "is unapplied; redrive it" in result.stdout
    assert world.dead_bodies() == [reserved(1)]


@pytest.mark.parametrize("event_id", ["", "x" * 1025, "half \ud800", 7, None])
def test_message_without_an_id_that_a_marker_can_have_is_unreadable(world: Inventory, event_id: Any) -> None:
    world.system.dead_letters.send(json.dumps({**TEA, "event_id": event_id}))

    [message] = list_dead_letters(world.stack).messages

    assert (message.state, message.event_id) == (InboxState.UNREADABLE, None)
    assert str(message.problem).startswith("event_id must be text of 1 to 1024 UTF-8 bytes, but is ")


def test_message_nested_as_deeply_as_python_goes_does_not_end_the_listing(world: Inventory) -> None:
    depths = range(950, 1001)
    for depth in depths:
        world.system.dead_letters.send(f'{{"event_id": "deep", "value": {"[" * depth}{"]" * depth}}}')

    found = list_dead_letters(world.stack).messages

    assert len(found) == len(depths)
