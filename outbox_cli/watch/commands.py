"""The verb `watch`: a stack, live."""

from typing import Annotated

import typer
from rich.live import Live

from outbox_cli.numbers import no_nan
from outbox_cli.output import AsJson, Output
from outbox_cli.shown import Screen
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack
from outbox_cli.watch.samples import sample_as_json, samples
from outbox_cli.watch.view import sample_line, sample_view

MINUTE_SECONDS = 60


def watch(
    *,
    interval: Annotated[
        float, typer.Option(min=0.5, max=3600, callback=no_nan, help="Seconds between two samples.")
    ] = 2.0,
    back: Annotated[
        float,
        typer.Option(min=0, max=1440, callback=no_nan, help="How many minutes back log lines are counted."),
    ] = 5.0,
    count: Annotated[
        int | None,
        typer.Option(min=1, help="How many samples; by default until Ctrl-C, or one with --json."),
    ] = None,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Show live how many events are accepted, stored, queued, applied and dead-lettered, with the newest log lines.

    Without a terminal, each sample is one line; with --json, all samples are one object.
    """
    looks = samples(
        chosen_stack(on_aws, outbox),
        back_seconds=back * MINUTE_SECONDS,
        interval_seconds=interval,
        most=1 if as_json and count is None else count,
    )
    console = Screen()
    if as_json:
        Output(as_json).write({"samples": [sample_as_json(sample) for sample in looks]})
    elif console.is_terminal:
        with Live(console=console, auto_refresh=False) as live:
            for sample in looks:
                live.update(sample_view(sample, console.height), refresh=True)
    else:
        for sample in looks:
            console.print(sample_line(sample), soft_wrap=True)


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command(epilog="Example: outbox watch --interval 5")(watch)
