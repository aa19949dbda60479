"""The verb `verify`: the whole exercise on a deployed stack."""

from fnmatch import fnmatchcase
from typing import Annotated

import typer

from outbox_cli.demo.show import Live, Quiet
from outbox_cli.exit_codes import CHECK_FAILED
from outbox_cli.orders.domain import of_orders
from outbox_cli.output import AsJson, Output
from outbox_cli.shown import Screen
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack
from outbox_cli.verify.exercise import Verification, verify

POLL_SECONDS_ON_AWS, POLL_SECONDS_HERE = 2.0, 0.2
PRODUCTION = "prod*"  # as the policy pack's rule `fault-injection-off` has it


def verify_verb(
    has_fault: Annotated[
        bool | None,
        typer.Option(
            "--with-fault/--without-fault",
            help="Whether the consumer may be made to fail one order of the exercise. Without either: it may, "
            f"but not on a stack whose name is like {PRODUCTION}.",
        ),
    ] = None,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Run the whole exercise on a deployed stack, with new orders of 1 and 2 cents, which stay stored.

    An order, its repetition, a conflicting one, the same event by hand, then an order whose message fails after
    its commit, until it is dead-lettered and redriven. Others may use the stack meanwhile. On AWS this takes
    the queue's visibility timeout times its receives: five minutes with the values of dev.
    """
    stack = of_orders(chosen_stack(on_aws, outbox))
    if has_fault is None:
        has_fault = not fnmatchcase(stack.name, PRODUCTION)
    poll_seconds = POLL_SECONDS_ON_AWS if on_aws else POLL_SECONDS_HERE
    if as_json:
        result = verify(stack, Quiet(), has_fault=has_fault, poll_seconds=poll_seconds)
        Output(as_json).write(
            {
                "ok": result.ok,
                "steps": [vars(step) for step in result.steps],
                "orders": result.order_ids,
                "added": vars(result.added),
                "other_events": result.other_events,
                "left_out": result.left_out,
                "seconds": result.seconds,
            }
        )
    else:
        console = Screen()
        with Live(console) as live:
            result = verify(stack, live, has_fault=has_fault, poll_seconds=poll_seconds)
        Output(as_json).write({}, *_lines(result))
    if not result.ok:
        raise typer.Exit(CHECK_FAILED)


def _lines(result: Verification) -> list[str]:
    held = sum(step.ok for step in result.steps)
    lines = [
        f"All {held} steps held ({result.seconds} s)."
        if result.ok
        else f"Step {held + 1} did not hold: {result.steps[-1].name} ({result.seconds} s)."
    ]
    if result.left_out:
        lines.append(f"The steps with a fault were left out: {result.left_out}.")
    if result.other_events:
        lines.append(f"Other events were applied meanwhile: {result.added} more in all.")
    return [*lines, f"Their orders stay stored: {', '.join(result.order_ids)}."]


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command("verify", epilog="Example: outbox verify --aws dev")(verify_verb)
