"""Bugs of the mappings and of reconciliation, as small edits of their sources."""

from tests.simulation.seeding import bugs

MAPPING_BUGS = bugs(
    {
        "outbox_local.event_sources.queue": [
            (
                "failed message deleted",
                'self._delete(record for record in records if record["messageId"] not in failed)',
                "self._delete(records)",
            ),
            (
                "messages that were not delivered deleted",
                "            self._hasten(records)\n            self._observer",
                "            self._delete(records)\n            self._observer",
            ),
        ],
        "outbox_local.event_sources.responses": [
            (
                "crash taken as success",
                "    if function_error is not None:\n        return everything",
                "    if function_error is not None:\n        return frozenset()",
            ),
        ],
        "outbox_local.event_sources.retry": [
            ("checkpoint at the highest failure", "min(failed, key=int)", "max(failed, key=int)"),
            (
                "second half forgotten",
                "return Batch(records[:middle], attempts=1), Batch(records[middle:])",
                "return (Batch(records[:middle], attempts=1),)",
            ),
            (
                "halves in the wrong order",
                "return Batch(records[:middle], attempts=1), Batch(records[middle:])",
                "return Batch(records[middle:], attempts=1), Batch(records[:middle])",
            ),
            (
                "records behind the checkpoint dropped",
                "rest = batch.records[checkpoint:]",
                "rest = batch.records[checkpoint : checkpoint + 1]",
            ),
            (
                "batch that was not delivered counts as done",
                "return Settlement(again=(replace(batch, attempts=batch.attempts + 1),), failed=len(batch.records))",
                "return Settlement()",
            ),
        ],
        "outbox_local.event_sources.shard": [
            (
                "position behind what is only read",
                "if firsts else self._cursor",
                "if False else self._cursor",
            ),
            ("position of the furthest concurrent batch", "min(firsts, key=int)", "max(firsts, key=int)"),
            (
                "trimmed stream read from its end",
                'None, Position("TRIM_HORIZON")',
                'None, Position("LATEST")',
            ),
            (
                "records abandoned but not reported",
                '        self._observer(Observation(self._mapping, "discarded", len(numbers), 0, condition, numbers))',
                "        pass",
            ),
        ],
        "outbox.reconcile": [
            (
                "later calls behind a failed one unaccounted",
                "            resent.unsent |= {event.event_id: failure for event in call}\n            continue",
                "            break",
            ),
            (
                "reconciliation sends nothing",
                "delivery = send(client, queue_url, call, backoff)",
                "delivery = send(client, queue_url, [], backoff)",
            ),
        ],
        "outbox_local.event_sources.concurrent_batch": [
            (
                "second half dropped when the first fails",
                "self._batches = (*batches, *self._batches[1:])",
                "self._batches = batches or self._batches[1:]",
            ),
        ],
    }
)

# Of time: found by tests/handlers/worst_courses.py, whose clock the schedules here do not have.
TIME_BUGS = bugs(
    {
        "outbox.retry": [
            (
                "call starts without a question",
                "        self._require(RESERVE_SECONDS)\n        token",
                "        token",
            ),
            (
                "second attempt starts without a question",
                "before_attempt.set(lambda: self._require(ATTEMPT_RESERVE_SECONDS))",
                "before_attempt.set(lambda: None)",
            ),
            ("half of the time is enough", ">= reserve_seconds\n", ">= reserve_seconds / 2\n"),
            (
                "time left counted as time spent",
                "self.remaining_seconds() - pause_seconds >=",
                "self.remaining_seconds() - pause_seconds <=",
            ),
        ],
        "outbox.sending": [
            (
                "next queue without a question",
                "backoff.call(\n                client.send_message_batch,",
                "client.send_message_batch(",
            ),
            (
                "no time for a queue means sent",
                "return Delivery(refused, Failure(unsent[0], error))",
                'return Delivery(refused, None if "time is used up" in str(error) else Failure(unsent[0], error))',
            ),
        ],
        "outbox.heal": [
            ("next page without a question", "self.backoff.call(next, pages, None)", "next(pages, None)"),
            ("no time for a page means finished", 'self.undone = f"the time', '_ = f"the time'),
        ],
        "outbox.markers": [
            (
                "markers read without a question",
                "backoff.call(\n                client.batch_get_item,",
                "client.batch_get_item(",
            ),
        ],
        "outbox.apply": [
            (
                "transaction without a question",
                "run.backoff.call(run.client.transact_write_items, TransactItems=actions)",
                "run.client.transact_write_items(TransactItems=actions)",
            ),
        ],
        "outbox.outcome": [
            (
                "commit without a question",
                "backoff.call(client.transact_write_items, TransactItems=actions)",
                "client.transact_write_items(TransactItems=actions)",
            ),
        ],
        "outbox.intents": [
            ("next intent without a question", "backoff.call(next, intents, None)", "next(intents, None)"),
        ],
    }
)
