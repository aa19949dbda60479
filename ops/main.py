"""The command line `outbox`: parses, calls one function of the room, prints its answer."""

import sys
from typing import Annotated

import typer
from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console

from local.errors import LocalAwsError, ProgramError
from local.running import StateFolder, start_in_background, stop_in_background
from ops import cost_commands, dead_letters, fault, orders, status, trace
from ops.errors import OperatorError
from ops.output import AsJson, Output
from ops.reconcile import reconcile
from ops.stack import Stack, running_local_stack, stack_on_aws

DONE, CHECK_FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
DEFAULT_PORT = 4566
DEMO_SPEED = 30.0

app = typer.Typer(
    help="A transactional outbox and an idempotent consumer: try it, run it, look inside.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
local_app = typer.Typer(help="A local AWS that keeps running between commands.", no_args_is_help=True)
dead_letter_app = typer.Typer(help="The dead-letter queue.", no_args_is_help=True)
app.add_typer(local_app, name="local")
app.add_typer(dead_letter_app, name="dlq")
cost_commands.add_to(app)

OnAws = Annotated[
    str | None,
    typer.Option(
        "--aws",
        metavar="STACK",
        help="A stack on AWS, found by the Pulumi CLI; without it, the running local AWS.",
    ),
]
Speed = Annotated[
    float,
    typer.Option(min=1, max=60, help="Divides the waits of the local event sources; deployed values stay."),
]
LocalStack = Annotated[
    str, typer.Option("--stack", help="Whose configuration (Pulumi.<stack>.yaml) to deploy.")
]


Region = Annotated[str | None, typer.Option(help="The region to stand for, instead of the stack's own.")]

# A negative amount is an amount, which the command refuses, and not an option.
NEGATIVE_AMOUNTS = {"ignore_unknown_options": True}


@app.command()
def demo(
    stack: LocalStack = "dev", region: Region = None, speed: Speed = DEMO_SPEED, as_json: AsJson = False
) -> None:
    """Run the whole walkthrough on a local AWS of its own."""
    # Here and not above: no other verb needs Pulumi, which takes longer to import than they take to run.
    from ops.demo import show  # noqa: PLC0415
    from ops.demo.run import run_demo  # noqa: PLC0415

    if as_json:
        result = run_demo(stack, region, speed, show.Quiet())
        Output(as_json).write(show.as_json(result))
    else:
        console = Console(highlight=False)
        with show.Live(console) as live:
            result = run_demo(stack, region, speed, live)
        show.show_result(console, result)
    raise typer.Exit(DONE if result.ok else CHECK_FAILED)


@local_app.command("up")
def local_up(
    stack: LocalStack = "dev",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="On loopback; 0 for any free one.")
    ] = DEFAULT_PORT,
    region: Region = None,
    speed: Speed = 1.0,
    as_json: AsJson = False,
) -> None:
    """Start the local AWS in the background and deploy a stack to it."""
    running = start_in_background(StateFolder.of_user(), stack, region, port, speed)
    Output(as_json).write(
        vars(running),
        f"The stack {stack!r} runs on {running.endpoint_url} (process {running.pid}). "
        "Try: outbox place order-a 1000; outbox status; outbox local down",
    )


@local_app.command("down")
def local_down(as_json: AsJson = False) -> None:
    """Stop the local AWS; what it stored is gone."""
    stop_in_background(StateFolder.of_user())
    Output(as_json).write({"running": False}, "The local AWS has stopped.")


@app.command(context_settings=NEGATIVE_AMOUNTS)
def place(order_id: str, amount_cents: int, on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Place an order through the command."""
    answer = orders.place(_stack(on_aws), {"order_id": order_id, "amount_cents": amount_cents})
    Output(as_json).write(answer, f"{answer['result']} {answer['event_id']}")


@app.command(context_settings=NEGATIVE_AMOUNTS)
def send(order_id: str, amount_cents: int, on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Send an event to the delivery queue by hand, as if the relay had; a bad one shows how it is refused."""
    message_id = orders.send(_stack(on_aws), orders.order_created_body(order_id, amount_cents))
    Output(as_json).write({"message_id": message_id}, f"Sent as message {message_id}.")


@app.command("status")
def show_status(on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Show the totals and what is on the queues."""
    stack = _stack(on_aws)
    totals = status.read_totals(stack)
    delivery = status.count_messages(stack, stack["queue_url"])
    dead = status.count_messages(stack, stack["dead_letter_queue_url"])
    Output(as_json).write(
        {"totals": vars(totals), "queue": vars(delivery), "dead_letter_queue": vars(dead)},
        f"{totals}. "
        f"Delivery queue: {delivery.available} available, {delivery.in_flight} in flight. "
        f"Dead-letter queue: {dead.available} available, {dead.in_flight} in flight.",
    )


@app.command("trace")
def show_trace(event_id: str, on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Follow one event through the logs of the three functions."""
    lines = trace.trace_event(_stack(on_aws), event_id)
    if not lines:
        raise OperatorError(
            f"No function logged {event_id!r}: check the id (order-created:<order id>), or wait a moment."
        )
    Output(as_json).write(
        {"event_id": event_id, "lines": [vars(line) for line in lines]},
        *(f"{line.function:9}{line.text}" for line in lines),
    )


@app.command("fault")
def set_fault(
    order_id: Annotated[
        str | None, typer.Argument(help="The order to fail; without it the fault is off.")
    ] = None,
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Make the consumer fail one order's message after its commit, or stop doing so."""
    fault.set_fault(_stack(on_aws), order_id and orders.require_order_id(order_id))
    Output(as_json).write(
        {"fault_after_commit": order_id},
        f"The message of {order_id} fails after its commit." if order_id else "The fault is off.",
    )


@dead_letter_app.command("list")
def list_dead_letters(on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Show up to ten messages of the dead-letter queue and leave them there."""
    messages = dead_letters.peek(_stack(on_aws))
    Output(as_json).write(
        {"messages": messages}, *([each["body"] for each in messages] or ["The dead-letter queue is empty."])
    )


@dead_letter_app.command("redrive")
def redrive_dead_letters(
    rate: Annotated[int, typer.Option(min=1, max=500, help="Messages a second.")] = 1,
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Move the dead letters back to the delivery queue; look at the totals afterwards."""
    with Console(stderr=True).status("starting ...") as status_line:
        moved = dead_letters.redrive(
            _stack(on_aws), rate, lambda now: status_line.update(f"{now.moved} of {now.to_move} moved ...")
        )
    Output(as_json).write(vars(moved), f"{moved.status}: {moved.moved} messages moved.")


@app.command("reconcile")
def reconcile_events(
    dry_run: Annotated[bool, typer.Option(help="Find only, send nothing.")] = False,
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Send every accepted event that was not applied to the delivery queue again."""
    found = reconcile(_stack(on_aws), dry_run=dry_run)
    Output(as_json).write(
        vars(found),
        f"{found.stored} stored events: {len(found.sent)} sent again, {len(found.not_sent)} not sent.",
        *(f"not sent: {event_id} ({reason})" for event_id, reason in found.not_sent.items()),
    )
    if found.not_sent and not dry_run:
        raise typer.Exit(CHECK_FAILED)


def _stack(on_aws: str | None) -> Stack:
    return stack_on_aws(on_aws) if on_aws else running_local_stack(StateFolder.of_user())


def run() -> int:
    """Runs the command line and returns the exit code; an error becomes one sentence, never a traceback.

    Raises:
        KeyboardInterrupt: somebody asked to stop; everything that was started has been stopped.
    """
    try:
        app()
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer's own word for it
            raise KeyboardInterrupt from None
        return end.code if isinstance(end.code, int) else DONE
    except ProgramError as error:
        return _say(WRONG_USE, str(error))
    except (LocalAwsError, OperatorError) as error:
        return _say(CHECK_FAILED, str(error))
    except (BotoCoreError, ClientError) as error:
        return _say(
            CHECK_FAILED, f"AWS refused the call or did not answer; check credentials and stack: {error}"
        )
    return DONE


def _say(code: int, sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return code
