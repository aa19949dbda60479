"""The verbs `demo`, `local up` and `local down`: the system on this machine alone."""

from typing import Annotated

import typer

from outbox_cli.exit_codes import CHECK_FAILED, DONE
from outbox_cli.numbers import no_nan
from outbox_cli.orders.domain import DOMAIN, ORDERS
from outbox_cli.output import AsJson, Output
from outbox_cli.shown import Screen
from outbox_local.paths import program_directory
from outbox_local.running import StateFolder, start_in_background, stop_in_background

DEFAULT_PORT = 4566
KEYS = ("access_key_id", "secret_access_key")  # for the state file alone: answers end up in logs
DEMO_SPEED = 30.0

Speed = Annotated[
    float,
    typer.Option(
        min=1,
        max=60,
        callback=no_nan,
        help="Divides the waits of the local event sources; deployed values stay.",
    ),
]
LocalStack = Annotated[
    str, typer.Option("--stack", help="Whose configuration (Pulumi.<stack>.yaml) to deploy.")
]

Region = Annotated[str | None, typer.Option(help="The region to simulate, instead of the stack's own.")]


def demo(
    stack: LocalStack = "dev", region: Region = None, speed: Speed = DEMO_SPEED, as_json: AsJson = False
) -> None:
    """Run the whole walkthrough on a local AWS of its own."""
    # Here and not above: no other verb needs Pulumi, which takes longer to import than they take to run.
    from outbox_cli.demo import show  # noqa: PLC0415
    from outbox_cli.demo.run import run_demo  # noqa: PLC0415

    if as_json:
        result = run_demo(stack, region, speed, show.Quiet())
        Output(as_json).write(show.as_json(result))
    else:
        console = Screen()
        with show.Live(console) as live:
            result = run_demo(stack, region, speed, live)
        show.show_result(console, result)
    raise typer.Exit(DONE if result.ok else CHECK_FAILED)


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
    # Here and not above: no other verb needs Pulumi, which takes longer to import than they take to run.
    from outbox_local.program import read_stack_config, region_override  # noqa: PLC0415

    # A stack or region that there is not is refused before a process starts.
    config = read_stack_config(program_directory(), stack, region_override(region))
    running = start_in_background(StateFolder.of_user(), stack, config.region, port, speed)
    first = "outbox place order-a 1000; " if running.outputs.get(DOMAIN) == ORDERS else ""
    Output(as_json).write(
        {name: value for name, value in vars(running).items() if name not in KEYS},
        f"The stack {stack!r} runs on {running.endpoint_url} (process {running.pid}).",
        f"Try: {first}outbox status; outbox local down",
    )


def local_down(as_json: AsJson = False) -> None:
    """Stop the local AWS; what it stored is gone."""
    stop_in_background(StateFolder.of_user())
    Output(as_json).write({"running": False}, "The local AWS has stopped.")


def add_to(app: typer.Typer) -> None:
    """Adds the verbs to a command line."""
    app.command(epilog="Example: outbox demo --speed 60")(demo)
    local_app = typer.Typer(help="A local AWS that keeps running between commands.", no_args_is_help=True)
    local_app.command("up", epilog="Example: outbox local up --stack prod --region eu-central-1")(local_up)
    local_app.command("down", epilog="Example: outbox local down")(local_down)
    app.add_typer(local_app, name="local")
