"""Finds events that were accepted but never applied, and sends their stored bodies to the queue again.

The recovery for an outage longer than the relay's record age or the stream's 24 hours: rows stay stored, and
nothing else will ever send them. Rewriting a row would not help, since an unchanged item leaves no stream
record. An event still on its way is sent once more, which the consumer ignores: running this twice, or while
the relay runs, costs deliveries and changes no total.
"""

from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from ops.stack import Stack
from ops.status import scan

ROW_PREFIX = "OUTBOX#"
MARKER_PREFIX = "INBOX#"


@dataclass(frozen=True)
class Reconciliation:
    """What a run found: outbox rows in all, and the ids of the events that were not applied, by what it did."""

    stored: int
    sent: list[str]
    not_sent: dict[str, str]
    """Why each of these was not sent, by event id; a row that the relay has parked is one of them."""


def reconcile(stack: Stack, *, dry_run: bool = False) -> Reconciliation:
    """Compares the outbox rows with the inbox markers and sends what has no marker.

    The markers are read before the rows: an event applied in between is at most sent once more. Holds the ids
    of all markers in memory (about 100 bytes each).

    Args:
        stack: where to look.
        dry_run: find only, send nothing.
    """
    applied = {
        item["PK"].removeprefix(MARKER_PREFIX)
        for item in scan(stack, stack["projection_table_name"])
        if item["PK"].startswith(MARKER_PREFIX)
    }
    stored = 0
    sent: list[str] = []
    not_sent: dict[str, str] = {}
    for item in scan(stack, stack["source_table_name"]):
        if not item["PK"].startswith(ROW_PREFIX):
            continue
        stored += 1
        event_id = item["PK"].removeprefix(ROW_PREFIX)
        if event_id in applied:
            continue
        if dry_run:
            not_sent[event_id] = "dry run"
            continue
        try:
            stack.clients("sqs").send_message(QueueUrl=stack["queue_url"], MessageBody=item.get("body"))
            sent.append(event_id)
        except (ClientError, BotoCoreError) as error:
            not_sent[event_id] = f"{type(error).__name__}: {error}"
    return Reconciliation(stored, sent, not_sent)
