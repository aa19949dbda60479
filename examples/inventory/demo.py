"""Runs the inventory on a local AWS of its own: `python -m examples.inventory.demo`; exit code 0 if all holds."""

import sys
from pathlib import Path

from rich.console import Console

from examples.inventory.steps import steps
from local.emulator import reserve_port
from local.environment import run_local_aws
from local.program import read_stack_config
from ops.demo.show import Live
from ops.demo.stepping import run_steps
from ops.demo.waiting import Wait
from ops.stack.deployed import stack_of

PROGRAM = Path(__file__).parent
SPEED = 30.0
TIMEOUT_SECONDS = 45.0


def main() -> int:
    """Deploys the program, runs every step up to the first that does not hold, and leaves nothing behind."""
    config = read_stack_config(PROGRAM, "dev", {})
    with (
        Live(Console(highlight=False)) as live,
        run_local_aws(reserve_port(0), config, speed=SPEED, directory=PROGRAM) as aws,
    ):
        results = run_steps(steps(stack_of(aws, "dev"), Wait(TIMEOUT_SECONDS)), live)
    return 0 if all(result.ok for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
