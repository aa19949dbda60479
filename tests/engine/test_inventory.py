"""The second domain as its own program on the real engine: every step of its demo holds there too."""

import shutil
from pathlib import Path

from engine.stack import WITHOUT_CACHES
from examples.inventory.steps import steps
from outbox_cli.demo.show import Quiet
from outbox_cli.demo.stepping import run_steps
from outbox_cli.stack.deployed import Stack as OperatorStack
from outbox_cli.waiting import Wait
from outbox_local.clients import Clients
from outbox_local.event_sources import EventSources
from tests.engine.conftest import REGION
from tests.engine.harness import NOTHING, Stack, standing
from tests.wheel import built_wheel, install
from tools.repository import PROGRAM_DIRECTORY

SPEED = 30.0
WAIT = Wait(60)


def test_inventory_program_elsewhere_stands_holds_every_step_and_goes(
    environment: dict[str, str], clients: Clients, tmp_path: Path
) -> None:
    program = tmp_path / "elsewhere"
    shutil.copytree(PROGRAM_DIRECTORY / "examples" / "inventory", program, ignore=WITHOUT_CACHES)
    (program / "Pulumi.dev.yaml").unlink()  # the harness writes its own
    install(built_wheel(tmp_path), program / ".venv")
    stack = Stack("trial", program, environment).init(region=REGION)

    stack.up()
    stack.up("--expect-no-changes")
    operator = OperatorStack("inventory", stack.outputs(), clients)
    with EventSources(clients.of_roles(), speed=SPEED):
        results = run_steps(steps(operator, WAIT), Quiet())
    stack.destroy()

    assert [step for step in results if not step.ok] == []
    assert len(results) == 20
    assert standing(clients) == NOTHING
