"""Bugs of the mappings and of reconciliation, as small edits of their sources."""

from tests.simulation.seeding import SeededBug

MAPPING_BUGS = (
    SeededBug(
        "failed message deleted",
        "outbox_local.event_sources.queue",
        'self._delete(record for record in records if record["messageId"] not in failed)',
        "self._delete(records)",
    ),
    SeededBug(
        "crash taken as success",
        "outbox_local.event_sources.responses",
        "    if function_error is not None:\n        return everything",
        "    if function_error is not None:\n        return frozenset()",
    ),
    SeededBug(
        "checkpoint at the highest failure",
        "outbox_local.event_sources.retry",
        "min(failed, key=int)",
        "max(failed, key=int)",
    ),
    SeededBug(
        "position behind what is only read",
        "outbox_local.event_sources.shard",
        "if firsts else self._cursor",
        "if False else self._cursor",
    ),
    SeededBug(
        "later calls behind a failed one unaccounted",
        "outbox.reconcile",
        "            resent.unsent |= {event.event_id: failure for event in call}\n            continue",
        "            break",
    ),
    SeededBug(
        "second half dropped when the first fails",
        "outbox_local.event_sources.lane",
        "self._batches = (*batches, *self._batches[1:])",
        "self._batches = batches or self._batches[1:]",
    ),
    SeededBug(
        "second half forgotten",
        "outbox_local.event_sources.retry",
        "return Batch(records[:middle], attempts=1), Batch(records[middle:])",
        "return (Batch(records[:middle], attempts=1),)",
    ),
    SeededBug(
        "halves in the wrong order",
        "outbox_local.event_sources.retry",
        "return Batch(records[:middle], attempts=1), Batch(records[middle:])",
        "return Batch(records[middle:], attempts=1), Batch(records[:middle])",
    ),
    SeededBug(
        "records behind the checkpoint dropped",
        "outbox_local.event_sources.retry",
        "rest = batch.records[checkpoint:]",
        "rest = batch.records[checkpoint : checkpoint + 1]",
    ),
    SeededBug(
        "position of the furthest lane",
        "outbox_local.event_sources.shard",
        "min(firsts, key=int)",
        "max(firsts, key=int)",
    ),
    SeededBug(
        "trimmed stream read from its end",
        "outbox_local.event_sources.shard",
        'None, Position("TRIM_HORIZON")',
        'None, Position("LATEST")',
    ),
    SeededBug(
        "records abandoned but not reported",
        "outbox_local.event_sources.shard",
        '        self._observer(Observation(self._mapping, "discarded", len(numbers), 0, condition, numbers))',
        "        pass",
    ),
    SeededBug(
        "batch that was not delivered counts as done",
        "outbox_local.event_sources.retry",
        "return Settlement(again=(replace(batch, attempts=batch.attempts + 1),), failed=len(batch.records))",
        "return Settlement()",
    ),
    SeededBug(
        "messages that were not delivered deleted",
        "outbox_local.event_sources.queue",
        "            self._hasten(records)\n            self._observer",
        "            self._delete(records)\n            self._observer",
    ),
    SeededBug(
        "reconciliation sends nothing",
        "outbox.reconcile",
        "delivery = send(client, queue_url, call, backoff)",
        "delivery = send(client, queue_url, [], backoff)",
    ),
)

# Of time: found by tests/handlers/worst_courses.py, whose clock the schedules here do not have.
TIME_BUGS = (
    SeededBug(
        "call starts without a question",
        "outbox.retry",
        "        self._require(RESERVE_SECONDS)\n        token",
        "        token",
    ),
    SeededBug(
        "second attempt starts without a question",
        "outbox.retry",
        "before_attempt.set(lambda: self._require(ATTEMPT_RESERVE_SECONDS))",
        "before_attempt.set(lambda: None)",
    ),
    SeededBug(
        "half of the time is enough", "outbox.retry", ">= reserve_seconds\n", ">= reserve_seconds / 2\n"
    ),
    SeededBug(
        "time left counted as time spent",
        "outbox.retry",
        "self.remaining_seconds() - pause_seconds >=",
        "self.remaining_seconds() - pause_seconds <=",
    ),
    SeededBug(
        "next queue without a question",
        "outbox.sending",
        "backoff.call(\n                client.send_message_batch,",
        "client.send_message_batch(",
    ),
    SeededBug(
        "next page without a question",
        "outbox.heal",
        "self.backoff.call(next, pages, None)",
        "next(pages, None)",
    ),
    SeededBug(
        "markers read without a question",
        "outbox.markers",
        "backoff.call(\n                client.batch_get_item,",
        "client.batch_get_item(",
    ),
    SeededBug(
        "transaction without a question",
        "outbox.apply",
        "run.backoff.call(run.client.transact_write_items, TransactItems=actions)",
        "run.client.transact_write_items(TransactItems=actions)",
    ),
    SeededBug(
        "commit without a question",
        "outbox.outcome",
        "backoff.call(client.transact_write_items, TransactItems=actions)",
        "client.transact_write_items(TransactItems=actions)",
    ),
    SeededBug(
        "next intent without a question",
        "outbox.intents",
        "backoff.call(next, intents, None)",
        "next(intents, None)",
    ),
    SeededBug(
        "no time for a queue means sent",
        "outbox.sending",
        "return Delivery(refused, Failure(unsent[0], error))",
        'return Delivery(refused, None if "time is used up" in str(error) else Failure(unsent[0], error))',
    ),
    SeededBug(
        "no time for a page means finished", "outbox.heal", 'self.undone = f"the time', '_ = f"the time'
    ),
)
