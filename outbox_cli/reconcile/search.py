"""Finds events that were accepted but never applied, and on request sends their stored bodies again.

The recovery for an outage longer than the relay's record age or the stream's 24 hours: rows stay stored, and
nothing else will ever send them. Reading is streamed: memory does not grow with the tables. Nothing is marked,
so a run may be killed anywhere, and be run again, twice at once, and beside relay and consumer.
"""

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TextIO

from outbox.errors import NotReadError
from outbox.markers import KEYS_A_CALL
from outbox.reconcile import Examined, WireRow, examine, resend, settle
from outbox.retry import Backoff
from outbox.rows import STORED_MINUTE, time_told_by
from outbox.sending import read_body
from outbox_cli.aws_errors import SDK_ERRORS, explain
from outbox_cli.errors import OperatorError
from outbox_cli.reconcile.findings import Reconciliation
from outbox_cli.reconcile.pages import Page, Pages, every_row, stored_since
from outbox_cli.stack.deployed import Stack

DEFAULT_MARGIN_SECONDS = 900
"""Longer than a message takes through all of the deliveries that the walkthrough's queue allows it."""
MARGIN_SECONDS_MOST = 1_209_600
"""The 14 days that SQS keeps a message at most: nothing is on its way for longer."""
DEFAULT_SEGMENTS = 4
PAGE_SECONDS_MOST = 60.0
SENDING_SECONDS_MOST = 600.0
"""For all that is lost of a page, over a slow line."""
WAIT_TOLD_SECONDS = 10.0


Report = Callable[[Reconciliation], None]
"""Told of every page, and of every wait, from several threads but never from two at once."""


def reconcile(
    stack: Stack,
    *,
    send: bool = False,
    margin_seconds: float = 0.0,
    since: float | None = None,
    is_consistent: bool = False,
    segments: int = DEFAULT_SEGMENTS,
    report: Report = lambda _: None,
    now: Callable[[], float] = time.time,
    sleep: Callable[[float], object] = time.sleep,
) -> Reconciliation:
    """Compare every outbox row with its inbox marker.

    A row younger than the margin is on its way. A row that tells no time (they do with `reconcile_index`) is
    looked at twice, the margin apart: only what has no marker at the second look either is lost.

    Args:
        stack: where to look.
        send: put what is lost on the delivery queue.
        margin_seconds: how long an event may take from its command to its marker.
        since: only rows stored at or after this time (epoch seconds), found by the index.
        is_consistent: read the source table strongly consistent, so that a row stored just now is seen too.
        segments: how many parts of the source table are read side by side.
        report: told how far it is.
        now: epoch seconds.
        sleep: waits between the two checks.

    Raises:
        OperatorError: `since` is given and the table has no such index, or DynamoDB stays throttled.
        ClientError: a call was refused; what was sent until then is no harm.
    """
    started = now()
    pages = (
        every_row(stack, segments, is_consistent) if since is None else stored_since(stack, since, started)
    )
    with tempfile.TemporaryFile("w+", encoding="utf-8") as aside:
        run = _Run(stack, send=send, margin_seconds=margin_seconds, now=now, report=report, aside=aside)
        with ThreadPoolExecutor(len(pages), thread_name_prefix="segment") as executor:
            try:
                for _ in executor.map(run.read, pages):
                    pass
            except BaseException:  # an error of one segment, or Ctrl-C, ends them all
                run.stopped.set()
                raise
        if run.set_aside:
            left = max(0.0, run.last_look + margin_seconds - now())
            while left > 0:
                run.found.waiting_seconds = left
                report(run.found)
                sleep(min(left, WAIT_TOLD_SECONDS))
                left -= WAIT_TOLD_SECONDS
            run.found.waiting_seconds = 0.0
            run.look_again()
    return run.found


class _Run:
    """One run: its tallies, and the file in which rows of unknown age wait for their second look."""

    def __init__(
        self,
        stack: Stack,
        *,
        send: bool,
        margin_seconds: float,
        now: Callable[[], float],
        report: Report,
        aside: TextIO,
    ) -> None:
        self.found = Reconciliation()
        self.stopped = threading.Event()
        self.set_aside = 0
        self.last_look = 0.0
        self._stack = stack
        self._send = send
        self._margin_seconds = margin_seconds
        self._now = now
        self._report = report
        self._aside = aside
        self._lock = threading.Lock()
        self._dynamodb = stack.clients("dynamodb")
        self._sqs = stack.clients("sqs")
        self._table = stack["projection_table_name"]
        self._event_types = frozenset(stack.outputs.get("event_types") or ())

    def read(self, pages: Pages) -> None:
        """Take pages as they come and examine each."""
        for page in pages:
            if self.stopped.is_set():
                return
            self._examine(page)

    def look_again(self) -> None:
        """Settle what was set aside."""
        self._aside.seek(0)
        for rows in _by_hundreds(map(json.loads, self._aside)):
            with _throttling_named():
                found = settle(
                    self._dynamodb, self._table, rows, Backoff.lasting(PAGE_SECONDS_MOST), now=self._now()
                )
            found.rows = 0  # they were counted at the first look
            self._settle(found)

    def _examine(self, page: Page) -> None:
        looked_at = self._now()
        with _throttling_named():
            found = examine(
                self._dynamodb,
                self._table,
                page.rows,
                Backoff.lasting(PAGE_SECONDS_MOST),
                now=looked_at,
                is_due=lambda row: self._is_due(row, looked_at),
                event_types=self._event_types,
            )
        found.read_units += page.read_units
        with self._lock:
            for row in found.waiting:
                if _stored_at(row) is not None:
                    self.found.on_their_way += 1
                else:
                    # Bytes, as others may have put them in the place of a time, tell none in any form.
                    self._aside.write(json.dumps(row, default=str) + "\n")
                    self.set_aside += 1
                    self.last_look = max(self.last_look, looked_at)
        self._settle(found)

    def _is_due(self, row: WireRow, looked_at: float) -> bool:
        stored_at = _stored_at(row)
        if stored_at is not None:
            return looked_at - stored_at >= self._margin_seconds
        _, problem = read_body(row)
        # A body that no queue accepts is not on its way to anywhere.
        return self._margin_seconds <= 0 or problem is not None

    def _settle(self, seen: Examined) -> None:
        """Send what is lost, if asked to, and add all to the tallies."""
        outcome = None
        if self._send:
            patience = Backoff.lasting(SENDING_SECONDS_MOST)
            outcome = resend(self._sqs, self._stack["queue_url"], seen.lost, patience)
        refused = outcome.refused if outcome else {}
        with self._lock:
            found = self.found
            found.rows += seen.rows
            found.applied += seen.applied
            found.expired += len(seen.expired)
            found.read_units += seen.read_units
            for event in seen.lost:
                if event.event_id not in refused:
                    found.lost.add(event.event_id)
            for event_id in seen.conflicting:
                found.conflicting.add(event_id)
            for event_id, reason in (seen.parked | refused).items():
                found.parked.add(event_id, reason)
            if outcome:
                found.sent += len(outcome.sent)
                for event_id, told in outcome.unsent.items():
                    found.unsent.add(event_id, _reason(outcome.error, told))
            self._report(found)


@contextmanager
def _throttling_named() -> Iterator[None]:
    """Retries a read for a minute; then the refusal becomes one sentence."""
    try:
        yield
    except NotReadError as error:
        raise OperatorError(
            f"DynamoDB keeps the reads waiting ({error}): run it again later, or with fewer --segments."
        ) from error


def _reason(error: Exception | None, told: str) -> str:
    """Why an event was not sent, with the next step."""
    if isinstance(error, SDK_ERRORS):
        return explain(error)
    return f"The queue did not take them ({told}): repeat the command."


def _stored_at(row: WireRow) -> float | None:
    return time_told_by(row.get(STORED_MINUTE, {}).get("S"))


def _by_hundreds(rows: Iterator[Any]) -> Iterator[list[WireRow]]:
    group: list[WireRow] = []
    for row in rows:
        group.append(row)
        if len(group) == KEYS_A_CALL:
            yield group
            group = []
    if group:
        yield group
