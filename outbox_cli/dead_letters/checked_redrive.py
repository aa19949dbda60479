"""Redrives dead-letter messages, then compares the totals with what the inbox said before.

A redrive that has ended says where the messages are. Whether each event now counts exactly once is seen in the
inbox and in the totals alone.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from outbox_cli.dead_letters.letters import (
    LISTED_MOST,
    DeadLetter,
    InboxState,
    list_dead_letters,
    read_digests,
)
from outbox_cli.dead_letters.move_task import move_all
from outbox_cli.dead_letters.prediction import Prediction
from outbox_cli.dead_letters.redrive import OnProgress, move_chosen, state_is
from outbox_cli.held_messages import NONE_HIDDEN, Hidden
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import QueueCounts, Totals, count_messages, read_totals
from outbox_cli.trace.facts import read_log
from outbox_cli.waiting import Wait

# Lines reach CloudWatch some seconds after they were written.
LOG_DELAY = Wait(timeout_seconds=15.0)


class Outcome(StrEnum):
    """The result of comparing the totals."""

    AS_PREDICTED = "as predicted"
    NOTHING_MOVED = "nothing moved"
    OTHER_TRAFFIC = "other traffic"
    """More was added than predicted, and the consumer's log names other events that were applied meanwhile."""
    NOT_COMPARED = "not compared"
    """There were messages that could not be looked at."""
    NOT_PREDICTED = "not predicted"
    """Some of the events that were applied are no orders, and the totals are of orders alone."""
    NOT_APPLIED = "not applied"
    """Events that should be applied have no marker although the wait is over."""
    DIFFERENT = "different"


FAILED = frozenset({Outcome.NOT_APPLIED, Outcome.DIFFERENT})


@dataclass(frozen=True)
class CheckedRedrive:
    """The result of a redrive: the messages moved, and their events."""

    moved: int
    kept: int
    refused: dict[str, str]
    prediction: Prediction
    before: Totals
    after: Totals
    outcome: Outcome
    unapplied: list[str]
    """Ids of events that should be applied by now and are not."""
    hidden: Hidden = NONE_HIDDEN
    """Messages that could not be looked at."""
    left: int = 0
    """Messages that were listed, and that the move did not meet."""

    @property
    def ok(self) -> bool:
        """Whether everything chosen was moved, and nothing contradicts the prediction."""
        return self.outcome not in FAILED and not self.refused and self.is_complete

    @property
    def is_complete(self) -> bool:
        """Whether the move met every message."""
        return not self.hidden.count and not self.left

    @property
    def added(self) -> Totals:
        """What the totals grew by."""
        return self.after - self.before


@dataclass(frozen=True)
class _Move:
    letters: list[DeadLetter]
    moved: int
    kept: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    is_complete: bool = True
    hidden: Hidden = NONE_HIDDEN
    left: int = 0


def redrive(
    stack: Stack,
    messages_per_second: int,
    only: InboxState | None,
    wait: Wait,
    *,
    log_delay: Wait = LOG_DELAY,
    on_progress: OnProgress = lambda _: None,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.time,
) -> CheckedRedrive:
    """Moves the messages in one state, or all, waits until they are consumed, and compares the totals.

    Raises:
        OperatorError: the move did not come to its end; says how far it came.
    """
    since_ms = int(now() * 1000)
    before = read_totals(stack)
    was_alone = count_messages(stack, stack["queue_url"]).empty
    move = _move(stack, messages_per_second, only, on_progress, sleep)
    prediction = Prediction.of(move.letters)
    # Nobody waits for a queue that others keep busy, or to which nothing was moved.
    waits_for_queue = was_alone and move.moved > 0 and not prediction.comes_back
    left = max(0, len(move.letters) - move.moved)
    unapplied = _await_consumption(stack, prediction, wait, left, waits_for_queue=waits_for_queue)
    after = read_totals(stack)
    return CheckedRedrive(
        moved=move.moved,
        kept=move.kept,
        refused=move.refused,
        prediction=prediction,
        before=before,
        after=after,
        outcome=Outcome.NOT_APPLIED
        if unapplied
        else _compared(
            move,
            prediction,
            after - before,
            lambda: others_were_applied(stack, since_ms, set(prediction.digests), log_delay),
        ),
        unapplied=unapplied,
        hidden=move.hidden,
        left=move.left,
    )


def _move(
    stack: Stack,
    messages_per_second: int,
    only: InboxState | None,
    on_progress: OnProgress,
    sleep: Callable[[float], None],
) -> _Move:
    listing = list_dead_letters(stack, LISTED_MOST)
    listed = listing.letters
    if not listed:
        return _Move([], 0, hidden=listing.hidden)
    if only is None and (done := move_all(stack, messages_per_second, on_progress, sleep)):
        left = max(0, len(listed) - done.moved)
        return _Move(
            listed, done.moved, is_complete=listing.is_complete and not left, hidden=listing.hidden, left=left
        )
    moved = move_chosen(stack, messages_per_second, state_is(only), on_progress, sleep)
    left = len({each.message_id for each in listed} - moved.seen)
    return _Move(
        moved.letters, len(moved.letters), len(moved.kept), moved.refused, hidden=moved.hidden, left=left
    )


def _await_consumption(
    stack: Stack, prediction: Prediction, wait: Wait, left: int, *, waits_for_queue: bool
) -> list[str]:
    """Waits until the predicted events are applied, and perhaps the queue is empty; ids of those not applied.

    A message that comes back would keep the queue busy for several visibility timeouts. So many of the predicted
    messages as are `left` are on no way, so nobody waits for theirs.
    """
    waiting = set(prediction.digests)

    def look() -> QueueCounts:
        for event_id, digest in read_digests(stack, waiting).items():
            if digest in prediction.digests[event_id]:
                waiting.discard(event_id)
        return count_messages(stack, stack["queue_url"])

    wait.until(look, lambda queue: len(waiting) <= left and (queue.empty or not waits_for_queue))
    return sorted(waiting)


def _compared(move: _Move, prediction: Prediction, added: Totals, are_others: Callable[[], bool]) -> Outcome:
    if not move.letters:
        return Outcome.NOTHING_MOVED
    if prediction.holds(added) and not prediction.not_orders:
        return Outcome.AS_PREDICTED if move.moved else Outcome.NOTHING_MOVED
    if not move.is_complete:
        return Outcome.NOT_COMPARED
    if prediction.not_orders:
        return Outcome.NOT_PREDICTED
    missing = added.order_count < prediction.least.order_count
    if not missing and are_others():
        return Outcome.OTHER_TRAFFIC
    return Outcome.DIFFERENT


def others_were_applied(stack: Stack, since_ms: int, own: set[str], wait: Wait = LOG_DELAY) -> bool:
    """Whether the consumer's log names an event that was applied since then and is not one's own."""

    def look() -> bool:
        lines = (line.text.split() for line in read_log(stack, "consumer", "APPLIED", since_ms))
        return any(words[:1] == ["APPLIED"] and not own.issuperset(words[1:2]) for words in lines)

    return wait.until(look, lambda seen: seen)
