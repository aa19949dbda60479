"""The runbook's backfill of a consumer that joined later: every stored event once, while new ones flow."""

import re
from functools import partial
from typing import Any

import pytest

from outbox.items import MARKER_PREFIX, ROW_PREFIX
from outbox_cli.reconcile import commands
from outbox_cli.reconcile.search import reconcile
from outbox_cli.status.stored import Totals
from tests.outbox_cli.verbs import run_verb
from tests.simulation.test_reconciliation import HOUR_SECONDS, Moving, watched
from tools.repository import PROGRAM_DIRECTORY

SECTION = re.compile(r"^## Backfill a new consumer\n(.*?)^## ", re.MULTILINE | re.DOTALL)
RUNBOOK = (PROGRAM_DIRECTORY / "docs" / "runbook.md").read_text("utf-8")


def told() -> list[list[str]]:
    """The section's reconciliations, in its order."""
    (section,) = SECTION.findall(RUNBOOK)
    return [each.split() for each in re.findall(r"`outbox (reconcile[^`]*)`", section)]


@pytest.mark.parametrize("calls_until_killed", [None, 1, 4, 9])
def test_backfill_as_the_runbook_has_it_brings_every_stored_event_once(
    calls_until_killed: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = Moving()  # its projection and queue are the new consumer's
    world.place(230)
    world.system.clock.wait(26 * HOUR_SECONDS)
    world.drain(world.relay.step)  # the stream has none of them any more
    left = [calls_until_killed]

    def move(_operation: str) -> None:
        if left[0] is not None:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
        world.place(1)
        world.relay.step()
        world.consumer.step()

    def pass_time(seconds: float) -> None:
        world.drain(world.relay.step)
        world.drain(world.consumer.step)
        world.system.clock.wait(seconds)

    run: Any = partial(reconcile, now=world.system.clock.now, sleep=pass_time)
    monkeypatch.setattr(commands, "reconcile", run)
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: watched(world.system.stack(), move))
    send, prove = told()
    if calls_until_killed is not None:
        with pytest.raises(KeyboardInterrupt):
            run_verb(monkeypatch, *send, "--segments", "1")

    sent = run_verb(monkeypatch, *send, "--segments", "1")
    world.drain(world.relay.step)
    world.drain(world.consumer.step)
    proven = run_verb(monkeypatch, *prove, "--segments", "1")

    world.drain(world.relay.step)
    world.drain(world.consumer.step)
    rows = {pk.removeprefix(ROW_PREFIX) for pk, _ in world.system.source.items if pk.startswith(ROW_PREFIX)}
    markers = {
        pk.removeprefix(MARKER_PREFIX)
        for pk, _ in world.system.projection.items
        if pk.startswith(MARKER_PREFIX)
    }
    assert (sent, proven) == (0, 0)
    assert (len(rows), rows) == (world.placed, markers)
    assert world.totals() == Totals(world.placed, world.placed)
    world.close()


def test_proof_of_a_backfill_fails_while_one_stored_event_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Moving()
    world.place(3)
    run: Any = partial(reconcile, now=world.system.clock.now, sleep=world.system.clock.wait)
    monkeypatch.setattr(commands, "reconcile", run)
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: world.system.stack())

    code = run_verb(monkeypatch, *told()[-1])

    assert code == 1
    world.close()
