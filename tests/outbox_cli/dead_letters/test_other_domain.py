"""The dead-letter queue of a domain that knows no orders: each event by its identity, and no money is predicted."""

import json
from typing import Any

import pytest

import inventory
from outbox.consume import consume
from outbox.invocation import records_of
from outbox.retry import Backoff
from outbox_cli.dead_letters import commands
from outbox_cli.dead_letters.checked_redrive import Outcome
from outbox_cli.dead_letters.letters import InboxState, list_dead_letters
from outbox_cli.dead_letters.prediction import Prediction
from outbox_cli.dead_letters.view import redrive_lines
from outbox_cli.status.stored import Totals
from tests.outbox_cli.dead_letters.test_checked_redrive import run as redriven
from tests.outbox_cli.dead_letters.typed import run
from tests.outbox_cli.dead_letters.world import World
from tests.outbox_cli.dead_letters.world import body as order_body

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


@pytest.mark.parametrize("only", [InboxState.UNAPPLIED, None])
def test_redrive_applies_them_and_claims_nothing_of_the_totals(
    world: Inventory, only: InboxState | None
) -> None:
    world.system.dead_letters.send(reserved(1))

    done = redriven(world, only=only)

    assert (done.outcome, done.ok, done.moved, done.prediction.comes_back) == (
        Outcome.NOT_PREDICTED,
        True,
        1,
        0,
    )
    assert world.level() == "5"


def test_event_that_stays_unapplied_fails_the_redrive(world: Inventory) -> None:
    world.system.dead_letters.send(reserved(1))

    done = redriven(world, only=InboxState.UNAPPLIED, consume=lambda: None)

    assert (done.outcome, done.unapplied) == (Outcome.NOT_APPLIED, [EVENT])


def test_dry_run_predicts_the_orders_and_counts_the_other_events(world: Inventory) -> None:
    for text in (reserved(1), reserved(4), order_body("a", 700)):
        world.system.dead_letters.send(text)

    lines = run("redrive", "--dry-run").stdout.splitlines()
    answer = json.loads(run("redrive", "--dry-run", "--json").stdout)

    assert lines == [
        "Would move 3 messages (3 unapplied): that adds 1 order, 700 cents.",
        "Events that are no orders: 2; what they add is not predicted.",
    ]
    assert (answer["predicted"]["least"]["revenue_cents"], answer["predicted"]["not_orders"]) == (700, 2)


def test_event_that_may_be_applied_as_no_order_is_not_predicted_at_all(world: Inventory) -> None:
    order = order_body("a", 700)
    for text in (order, json.dumps(json.loads(order) | {"amount_cents": 0})):
        world.system.dead_letters.send(text)

    prediction = Prediction.of(list_dead_letters(world.stack).letters)

    assert (prediction.least, prediction.most) == (Totals(0, 0), Totals(0, 0))
    assert (prediction.not_orders, prediction.comes_back) == (1, 1)


def test_redrive_says_that_the_totals_are_not_compared(world: Inventory) -> None:
    world.system.dead_letters.send(reserved(1))

    lines = redrive_lines(redriven(world))

    assert lines[1:] == [
        "Events that are no orders: 1; what they add is not predicted.",
        "Every event that was moved to be applied has its marker; the totals, of orders alone, are not compared.",
    ]


def test_valid_event_is_never_deleted_as_unreadable(world: Inventory) -> None:
    world.system.dead_letters.send(reserved(1))

    result = run("delete", "dead-letters-1", "--only", "unreadable")

    assert result.exit_code == 1
    assert "is unapplied; redrive it" in result.stdout
    assert world.dead_bodies() == [reserved(1)]


@pytest.mark.parametrize("event_id", ["", "x" * 1025, "half \ud800", 7, None])
def test_message_without_an_id_that_a_marker_can_have_is_unreadable(world: Inventory, event_id: Any) -> None:
    world.system.dead_letters.send(json.dumps({**TEA, "event_id": event_id}))

    [letter] = list_dead_letters(world.stack).letters

    assert (letter.state, letter.event_id) == (InboxState.UNREADABLE, None)
    assert str(letter.problem).startswith("event_id must be text of 1 to 1024 UTF-8 bytes, but is ")


def test_message_nested_as_deeply_as_python_goes_does_not_end_the_listing(world: Inventory) -> None:
    depths = range(950, 1001)
    for depth in depths:
        world.system.dead_letters.send(f'{{"event_id": "deep", "value": {"[" * depth}{"]" * depth}}}')

    found = list_dead_letters(world.stack).letters

    assert len(found) == len(depths)
