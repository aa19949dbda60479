"""The verb `reconcile`: accepted events that were never applied."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from outbox_cli.exit_codes import CHECK_FAILED
from outbox_cli.output import AsJson, Output
from outbox_cli.progress import progress
from outbox_cli.reconcile.findings import Reconciliation
from outbox_cli.reconcile.search import (
    DEFAULT_MARGIN_SECONDS,
    DEFAULT_SEGMENTS,
    MARGIN_SECONDS_MOST,
    reconcile,
)
from outbox_cli.stack.deployed import Stack
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack

AGO = re.compile(r"(\d{1,9})([smhd])", re.ASCII)
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
EXAMPLE = "Example: outbox reconcile --resend --margin-seconds 0"


def parse_since(text: str) -> float:
    """Epoch seconds of a time in ISO format (UTC without a zone), or of so long ago: 90m, 26h, 3d.

    Raises:
        BadParameter: neither of them, before 1970, or in the future.
    """
    now = time.time()
    since = now - int(ago[1]) * SECONDS[ago[2]] if (ago := AGO.fullmatch(text)) else _moment(text)
    if not 0 <= since <= now:
        raise typer.BadParameter(f"must be a time from 1970 until now, but is {text!r}.")
    return since


def _moment(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither a time such as 2026-09-05T12:00 nor a duration such as 90m, 26h or 3d."
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def reconcile_events(
    *,
    resend: Annotated[
        bool, typer.Option("--resend/--dry-run", help="Send lost events again, or only find them.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Only events stored since: 26h, 3d, or 2026-09-05T12:00 in UTC."),
    ] = None,
    margin_seconds: Annotated[
        int,
        typer.Option(
            min=0,
            max=MARGIN_SECONDS_MOST,
            help="How long an event may be on its way before it counts as lost.",
        ),
    ] = DEFAULT_MARGIN_SECONDS,
    segments: Annotated[
        int, typer.Option(min=1, max=64, help="Parts of the source table to read side by side.")
    ] = DEFAULT_SEGMENTS,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Find accepted events that were never applied, and with --resend put them on the queue again.

    The search changes nothing. Resending is safe while everything runs, twice, and when it is stopped half-way.
    Rows have a time with the setting reconcileIndex. Without it, events that seem lost are checked again after the
    margin; with --margin-seconds 0 there is no wait, and events still in delivery are sent once more.
    """
    since_epoch = None if since is None else parse_since(since)
    stack = chosen_stack(on_aws, outbox)
    with progress("reading ...") as tell:
        found = reconcile(
            stack,
            send=resend,
            margin_seconds=margin_seconds,
            since=since_epoch,
            segments=segments,
            report=lambda found: tell(_so_far(found)),
        )
    whole_table = since_epoch is None
    lines = [*_lines(found), *_beside(stack, found, whole_table=whole_table)]
    Output(as_json).write({**_as_answer(found), "whole_table": whole_table}, *lines)
    if not found.ok:
        raise typer.Exit(CHECK_FAILED)


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command("reconcile", epilog=EXAMPLE)(reconcile_events)


def _as_answer(found: Reconciliation) -> dict[str, Any]:
    return {
        "rows": found.rows,
        "applied": found.applied,
        "on_their_way": found.on_their_way,
        "expired": found.expired,
        "lost": found.lost.count,
        "sent": found.sent,
        "unsent": found.unsent.count,
        "parked": found.parked.count,
        "conflicting": found.conflicting.count,
        "read_units": found.read_units,
        "read_units_per_event": round(found.read_units_per_event, 3),
        "events": {
            "lost": sorted(found.lost.reasons),
            "unsent": dict(sorted(found.unsent.reasons.items())),
            "parked": dict(sorted(found.parked.reasons.items())),
            "conflicting": sorted(found.conflicting.reasons),
        },
    }


def _lines(found: Reconciliation) -> Iterator[str]:
    yield (
        f"{found.rows} stored event{'' if found.rows == 1 else 's'}: "
        f"{found.applied} applied, {found.on_their_way} on their way, {found.expired} expired, "
        f"{found.lost.count} lost, {found.parked.count} parked, "
        f"{found.conflicting.count} conflicting."
    )
    yield f"{found.sent} sent again. {found.read_units:g} read units, {found.read_units_per_event:.2f} an event."
    for word, named in (("lost", found.lost), ("parked", found.parked), ("conflicting", found.conflicting)):
        for event_id, reason in sorted(named.reasons.items()):
            yield f"{word}: {event_id}" + (f" ({reason})" if reason else "")
        if more := named.count - len(named.reasons):
            yield f"{word}: {more} more"
    for reason in sorted(set(found.unsent.reasons.values())):
        yield f"not sent: {reason}"


def _beside(stack: Stack, found: Reconciliation, *, whole_table: bool) -> Iterator[str]:
    """Notes on rows that were not read, or that the reconciler leaves alone."""
    if not whole_table:
        yield (
            "Only rows of the index were read: a row stored before reconcileIndex was on, or by a program that "
            "gives it no index keys, is found without --since."
        )
    elif found.lost.count and (start := stack.outputs.get("reconciler_start")):
        yield (
            f"The reconciler's start is {start}; events stored before it count here too. "
            f"`outbox reconcile --since {start}` leaves them out."
        )


def _so_far(found: Reconciliation) -> str:
    if found.waiting_seconds:
        return (
            f"{found.rows} rows read. Rows without a marker and without a time are checked again "
            f"in {found.waiting_seconds:.0f} s (--margin-seconds) ..."
        )
    return f"{found.rows} rows read, {found.lost.count} lost, {found.sent} sent, {found.read_units:g} read units ..."
