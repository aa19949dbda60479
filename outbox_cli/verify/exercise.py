"""Runs the whole walkthrough on a deployed stack that may be in use, with orders of its own.

Their ids are new each time, so nothing of anybody else's is touched; they stay stored. The consumer's fault
names the exercise's own order alone, and is off again at the end, whatever happens before.
"""

import contextlib
import json
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from botocore.exceptions import ClientError

from outbox_cli.aws_errors import DENIED
from outbox_cli.demo.exercise import Exercise, Order
from outbox_cli.demo.stepping import Progress, StepResult, run_steps
from outbox_cli.demo.steps import walkthrough
from outbox_cli.errors import OperatorError
from outbox_cli.fault import switch
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals, read_totals
from outbox_cli.waiting import Wait

# The totals of a stack in use grow by the exercise's orders: as little as an order can be.
FIRST_CENTS, SECOND_CENTS = 1, 2
ID_CHARACTERS = 12
# A clock here and the one of the logs may differ by so much.
CLOCK_SKEW_MS = 60_000
# A poll, a cold start and the delivery of log lines take this long beyond the queue's own waits.
MARGIN_SECONDS = 60.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Verification:
    """The result of a run."""

    steps: list[StepResult]
    order_ids: list[str]
    added: Totals
    other_events: bool
    """Whether the totals moved by more than the exercise's orders: then they were held to these as the least."""
    left_out: str | None = None
    """Why the steps with the fault were not run, if they were not."""
    seconds: float = field(default=0.0)

    @property
    def ok(self) -> bool:
        """Whether every step held."""
        return all(step.ok for step in self.steps)


def verify(
    stack: Stack,
    progress: Progress,
    *,
    has_fault: bool,
    poll_seconds: float,
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:ID_CHARACTERS],
    now: Callable[[], float] = time.time,
) -> Verification:
    """Runs every step that may be run, and takes the fault away at the end.

    Args:
        stack: where to run them.
        progress: told of each step.
        has_fault: whether the consumer may be made to fail one order of the exercise's own.
        poll_seconds: between two polls of what happens by itself.
        new_id: text that no earlier order has in its id.
        now: epoch seconds.

    Raises:
        OperatorError: somebody else has made the consumer fail an order.
    """
    started = now()
    unique = new_id()
    exercise = Exercise(
        Order(f"verify-{unique}-a", FIRST_CENTS),
        Order(f"verify-{unique}-b", SECOND_CENTS),
        read_totals(stack),
        is_alone=False,
        since_ms=int(started * 1000) - CLOCK_SKEW_MS,
    )
    left_out = _why_without_fault(stack) if has_fault else "--without-fault"
    has_fault = left_out is None
    wait = Wait(longest_wait_seconds(stack), poll_seconds)
    steps = walkthrough(stack, wait, exercise, has_fault=has_fault, tell=progress.doing)
    with fault_off_at_the_end(stack, exercise.second.order_id) if has_fault else contextlib.nullcontext():
        results = run_steps(steps, progress)
    placed = [exercise.first, exercise.second][: 2 if has_fault else 1]
    added = read_totals(stack) - exercise.before
    return Verification(
        results,
        [each.order_id for each in placed],
        added,
        other_events=added.order_count > len(placed),
        left_out=left_out,
        seconds=round(now() - started, 1),
    )


def longest_wait_seconds(stack: Stack) -> float:
    """How long a message takes to the dead-letter queue by the deployed settings, with a margin."""
    found = stack.clients("sqs").get_queue_attributes(
        QueueUrl=stack["queue_url"], AttributeNames=["VisibilityTimeout", "RedrivePolicy"]
    )["Attributes"]
    receives = int(json.loads(found["RedrivePolicy"])["maxReceiveCount"])
    return int(found["VisibilityTimeout"]) * (receives + 1) + MARGIN_SECONDS


def _why_without_fault(stack: Stack) -> str | None:
    """Why the consumer cannot be made to fail, if it cannot; tried by a change that changes nothing.

    Raises:
        OperatorError: it fails already.
    """
    if present := switch.read_variables(stack).get(switch.FAULT_VARIABLE):
        raise OperatorError(
            f"The consumer fails order {present!r} on purpose already: end that with `outbox fault off`, "
            "or run this with --without-fault."
        )
    try:
        switch.set_fault(stack, None)
    except ClientError as error:
        if error.response["Error"]["Code"] not in DENIED:
            raise
        return "these credentials may not change the consumer's configuration"
    return None


@contextlib.contextmanager
def fault_off_at_the_end(stack: Stack, order_id: str) -> Iterator[None]:
    """Takes the fault for this order away, whatever ends the block; another Ctrl-C does not stop that."""
    try:
        yield
    finally:
        with _signals_put_off():
            if switch.read_variables(stack).get(switch.FAULT_VARIABLE) == order_id:
                switch.set_fault(stack, None)


@contextlib.contextmanager
def _signals_put_off() -> Iterator[None]:
    """Signals that would end the process do so behind the block; only the main thread can decide about them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    handlers = {each: signal.signal(each, lambda number, _: received.append(number)) for each in SIGNALS}
    try:
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
    for number in received:
        signal.raise_signal(number)
