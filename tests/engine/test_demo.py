"""The walkthrough's exercise on a stack that the engine deployed."""

from outbox_cli.demo.run import ALLOWANCE_SECONDS, LONGEST_WAIT_SECONDS
from outbox_cli.demo.show import Quiet
from outbox_cli.demo.stepping import run_steps
from outbox_cli.demo.steps import walkthrough
from outbox_cli.stack.deployed import Stack as OperatorStack
from outbox_cli.waiting import Wait
from outbox_local.clients import Clients
from outbox_local.event_sources import EventSources
from tests.engine.harness import Stack

SPEED = 60.0
STEPS = 19


def test_every_step_of_the_walkthrough_holds(dev: Stack, clients: Clients) -> None:
    dev.up()
    stack = OperatorStack("dev", dev.outputs(), clients)
    wait = Wait(LONGEST_WAIT_SECONDS / SPEED + ALLOWANCE_SECONDS)

    with EventSources(clients.of_roles(), speed=SPEED):
        results = run_steps(walkthrough(stack, wait), Quiet())

    assert [step.name for step in results if not step.ok] == []
    assert len(results) == STEPS
