"""Runs the inventory on a local AWS of its own: `python -m examples.inventory.demo`; exit code 0 if all holds."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path

from rich.console import Console

from examples.inventory.steps import steps
from outbox_cli.demo.show import Live
from outbox_cli.demo.stepping import run_steps
from outbox_cli.stack.deployed import stack_of
from outbox_cli.waiting import Wait
from outbox_local.emulator import reserve_port
from outbox_local.environment import LocalAws, run_local_aws
from outbox_local.program import StackConfig, read_stack_config

PROGRAM = Path(__file__).parent
SPEED = 30.0
TIMEOUT_SECONDS = 45.0


def started(live: Live, config: StackConfig) -> AbstractContextManager[LocalAws]:
    """The local AWS with the program on it, once it stands."""
    live.doing("starting the local AWS")
    return run_local_aws(
        reserve_port(0),
        config,
        PROGRAM,
        speed=SPEED,
        report=lambda _, __, name: live.doing(f"deploying {name}"),
    )


def main() -> int:
    """Deploys the program, runs every step up to the first that does not hold, and leaves nothing behind."""
    console = Console(highlight=False)
    config = read_stack_config(PROGRAM, "dev", {})
    with (
        Live(console) as live,
        started(live, config) as aws,
    ):
        results = run_steps(steps(stack_of(aws, "dev"), Wait(TIMEOUT_SECONDS)), live)
        live.doing("stopping the local AWS")
    held = sum(result.ok for result in results)
    console.print(f"All {held} steps held." if held == len(results) else f"Step {held + 1} did not hold.")
    return 0 if held == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
