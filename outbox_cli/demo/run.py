"""Runs the walkthrough's steps on a local AWS of its own and gathers the result."""

import time
from dataclasses import dataclass
from typing import Any

from outbox_cli.demo.exercise import WALKTHROUGH
from outbox_cli.demo.stepping import Progress, StepResult, run_steps
from outbox_cli.demo.steps import walkthrough
from outbox_cli.stack.deployed import Stack, stack_of
from outbox_cli.status.stored import Totals, read_totals, scan
from outbox_cli.trace.facts import LogLine, trace_event
from outbox_cli.waiting import Wait
from outbox_local.emulator import reserve_port
from outbox_local.environment import run_local_aws
from outbox_local.paths import program_directory
from outbox_local.program import read_stack_config, region_override

# The longest that one step waits on AWS: five deliveries, each in flight for 60 s, and the receive after them.
LONGEST_WAIT_SECONDS = 6 * 60.0
# What the machine itself may take on top, whatever the speed.
ALLOWANCE_SECONDS = 30.0
ANY_FREE_PORT = 0


@dataclass(frozen=True)
class DemoResult:
    """Result of the whole run."""

    steps: list[StepResult]
    totals: Totals
    resources: dict[str, int]
    source_items: list[dict[str, Any]]
    projection_items: list[dict[str, Any]]
    paths: dict[str, list[LogLine]]
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether every step held."""
        return all(step.ok for step in self.steps)


def run_demo(stack_name: str, region: str | None, speed: float, progress: Progress) -> DemoResult:
    """Starts a local AWS, deploys the stack, runs every step, and leaves nothing behind.

    Args:
        stack_name: whose configuration to deploy.
        region: instead of the stack's own, if given.
        speed: divides the waits of the local event sources.
        progress: told of each step.

    Raises:
        LocalAwsError: the local AWS did not start or the stack could not be deployed.
    """
    started = time.monotonic()
    directory = program_directory()
    config = read_stack_config(directory, stack_name, region_override(region))
    progress.doing("starting the local AWS")
    with run_local_aws(
        reserve_port(ANY_FREE_PORT),
        config,
        directory,
        speed=speed,
        report=lambda _, pulumi_type, name: progress.doing(f"deploying {pulumi_type.split(':')[-1]} {name}"),
    ) as aws:
        stack = stack_of(aws, stack_name)
        wait = Wait(LONGEST_WAIT_SECONDS / speed + ALLOWANCE_SECONDS)
        steps = run_steps(walkthrough(stack, wait, tell=progress.doing), progress)
        progress.doing("reading what is stored")
        return DemoResult(
            steps=steps,
            totals=read_totals(stack),
            resources=aws.deployment.count_by_type(),
            source_items=list(scan(stack, stack["source_table_name"])),
            projection_items=list(scan(stack, stack["projection_table_name"])),
            paths=_paths(stack),
            seconds=round(time.monotonic() - started, 1),
        )


def _paths(stack: Stack) -> dict[str, list[LogLine]]:
    ids = (WALKTHROUGH.first.event_id, WALKTHROUGH.second.event_id)
    return {event_id: trace_event(stack, event_id) for event_id in ids}
