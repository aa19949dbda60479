"""Runs the walkthrough's steps on a local AWS of its own and gathers the result."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from local.emulator import reserve_port
from local.environment import run_local_aws
from local.paths import PROGRAM_DIRECTORY
from local.program import read_stack_config, region_override
from ops.demo.steps import EVENT_A, EVENT_B, Step, walkthrough
from ops.demo.waiting import Wait
from ops.errors import OperatorError
from ops.stack import Stack, stack_of
from ops.status import Totals, read_totals, scan
from ops.trace import LogLine, trace_event

# The longest that one step waits on AWS: five deliveries, each hidden for 60 s, and the receive after them.
LONGEST_WAIT_SECONDS = 6 * 60.0
# What the machine itself may take on top, whatever the speed.
ALLOWANCE_SECONDS = 30.0
ANY_FREE_PORT = 0


@dataclass(frozen=True)
class StepResult:
    """A step that was run: what was expected and what was seen."""

    name: str
    ok: bool
    expected: str
    seen: str


@dataclass(frozen=True)
class DemoResult:
    """What the whole run shows."""

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


class Progress(Protocol):
    """Told of what happens while it happens."""

    def doing(self, what: str) -> None:
        """Something begins that takes a moment."""

    def done(self, result: StepResult) -> None:
        """A step has its result."""


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
    config = read_stack_config(PROGRAM_DIRECTORY, stack_name, region_override(region))
    progress.doing("starting the local AWS")
    with run_local_aws(
        reserve_port(ANY_FREE_PORT),
        config,
        speed=speed,
        report=lambda _, pulumi_type, name: progress.doing(f"deploying {pulumi_type.split(':')[-1]} {name}"),
    ) as aws:
        stack = stack_of(aws, stack_name)
        wait = Wait(LONGEST_WAIT_SECONDS / speed + ALLOWANCE_SECONDS)
        steps = run_steps(walkthrough(stack, wait), progress)
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


def run_steps(steps: Iterable[Step], progress: Progress) -> list[StepResult]:
    """Runs the steps up to the first that does not hold; those behind it build on it."""
    results = []
    for step in steps:
        progress.doing(step.name)
        try:
            seen = step.see()
        except (ClientError, BotoCoreError, OperatorError) as error:
            seen = f"{type(error).__name__}: {error}"
        result = StepResult(step.name, seen == step.expected, step.expected, seen)
        results.append(result)
        progress.done(result)
        if not result.ok:
            break
    return results


def _paths(stack: Stack) -> dict[str, list[LogLine]]:
    return {event_id: trace_event(stack, event_id) for event_id in (EVENT_A, EVENT_B)}
