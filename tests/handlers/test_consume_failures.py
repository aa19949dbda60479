"""Refused, throttled, cut off or killed: each event's effect is still stored once."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

import orders
from outbox.settings import aggregate_shard
from tests.handlers.support import (
    CONFLICT,
    PROJECTION_TABLE,
    RECEIVE_LIMIT,
    Clock,
    Recorder,
    cancelled,
    deliver,
    error,
    items,
    message,
    messages,
    order_body,
    shards,
    total,
)


class Killed(BaseException):
    """The function's process ends here: nothing after it runs, no answer is given."""


@pytest.mark.parametrize("code", [CONFLICT, "ThrottlingError", "ValidationError", "None", "Unheard"])
def test_consume_cancelled_without_marker_reports_then_applies_once(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    client = Recorder(dynamodb, default=cancelled("None", code))

    first = deliver(client, [message(order_body("a", 1000))])
    lost = total(dynamodb)
    second = deliver(dynamodb, [message(order_body("a", 1000))])

    assert (first, lost) == (["m-1"], None)
    assert (second, total(dynamodb)) == ([], (1, 1000))
    log = capsys.readouterr().out
    assert "DUPLICATE" not in log
    assert log.count("APPLIED order-created:a") == 1


PASSING_CALLS = [
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "TransactionInProgressException",
    "InternalServerError",
    "ServiceUnavailable",
]


@pytest.mark.parametrize("code", PASSING_CALLS)
def test_consume_after_a_call_that_failed_in_passing_sends_the_same_again_in_the_same_delivery(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    clock = Clock()
    client = Recorder(dynamodb, error(code), error(code))
    batch = messages(*(order_body(f"o-{n}", n) for n in range(1, 100)))

    reported = deliver(client, batch, clock)

    assert reported == []
    assert total(dynamodb) == (99, sum(range(1, 100)))
    assert clock.pauses == [0.025, 0.05]
    assert client.calls[0] == client.calls[1] == client.calls[2]
    assert capsys.readouterr().out.count("APPLIED") == 99


EXECUTIONS = 10


class ContendedTable:
    """A table for several threads that cancels 40 % of the transactions, whichever thread comes first.

    The random source is new for each attempt of a batch, and by nothing that the schedule of the threads changes.
    """

    def __init__(self, client: Any) -> None:
        self.attempts: Counter[str] = Counter()
        self._client = client
        self._one_at_a_time = Lock()  # the tables below are not made for threads

    def transact_write_items(self, **request: Any) -> Any:
        actions = request["TransactItems"]
        batch = actions[0]["Put"]["Item"]["PK"]["S"]
        with self._one_at_a_time:
            self.attempts[batch] += 1
            if random.Random(f"{batch}, attempt {self.attempts[batch]}").random() < 0.4:  # noqa: S311 - repeatable
                raise cancelled(*(CONFLICT if "Update" in each else "None" for each in actions))
            return self._client.transact_write_items(**request)


@pytest.mark.parametrize(("events", "batch_size"), [(60, 1), (240, 20)])
@pytest.mark.parametrize("shard_count", [1, 4])
def test_events_with_conflicts_in_ten_threads_are_all_counted_once(
    dynamodb: Any, events: int, batch_size: int, shard_count: int
) -> None:
    table = ContendedTable(dynamodb)
    queued = [message(order_body(f"o-{n}", n), f"m-{n}") for n in range(1, events + 1)]
    batches = [queued[first : first + batch_size] for first in range(0, events, batch_size)]
    begin = Barrier(EXECUTIONS)
    receives: Counter[str] = Counter()
    dead: list[Any] = []

    def execution(number: int) -> None:
        """One of the functions that run at the same time, with every tenth batch until it is applied or dead."""
        chance = random.Random(number).random  # noqa: S311 - a repeatable scenario, nothing secret
        environment = {"AGGREGATE_SHARDS": str(shard_count)}
        shard = aggregate_shard(environment, choose=lambda count: number % count)
        parse = orders.sales(shard).parse
        begin.wait()
        for batch in batches[number::EXECUTIONS]:
            waiting = batch
            for _ in range(RECEIVE_LIMIT):
                receives.update(record["messageId"] for record in waiting)
                reported = deliver(table, waiting, backoff=Clock().backoff(chance), parse=parse)
                waiting = [record for record in waiting if record["messageId"] in reported]
                if not waiting:
                    break
            dead.extend(waiting)

    with ThreadPoolExecutor(EXECUTIONS) as executions:
        list(executions.map(execution, range(EXECUTIONS)))

    assert dead == []
    assert total(dynamodb) == (events, sum(range(1, events + 1)))
    assert len(shards(dynamodb)) == shard_count
    assert table.attempts.total() > 1.25 * len(batches)  # the conflicts did happen
    assert set(receives.values()) == {1}  # and none of them cost a delivery


@pytest.mark.parametrize(
    "failure",
    [
        error("IdempotentParameterMismatchException"),
        error("AccessDeniedException"),
        error("ResourceNotFoundException"),
        ReadTimeoutError(endpoint_url="stub"),
        cancelled(),
        cancelled("None"),
    ],
)
def test_consume_after_any_other_error_reports_and_applies_on_redelivery(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], failure: Exception
) -> None:
    client = Recorder(dynamodb, failure)

    first = deliver(client, messages(order_body("a", 1), order_body("b", 2)))
    second = deliver(client, messages(order_body("a", 1), order_body("b", 2)))

    assert first == ["m-1", "m-2"]
    assert second == []
    assert total(dynamodb) == (2, 3)
    log = capsys.readouterr().out
    assert log.count("RETRY NotStoredError: order-created:") == 2
    assert "DUPLICATE" not in log


def test_consume_after_a_lost_reply_is_a_duplicate(dynamodb: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def store_then_lose_the_reply(request: Any) -> None:
        dynamodb.transact_write_items(**request)
        raise ReadTimeoutError(endpoint_url="stub")

    client = Recorder(dynamodb, store_then_lose_the_reply)

    first = deliver(client, [message(order_body())])
    second = deliver(client, [message(order_body())])

    assert (first, second) == (["m-1"], [])
    assert total(dynamodb) == (1, 1000)
    assert capsys.readouterr().out.splitlines()[-1] == "DUPLICATE_IGNORED order-created:a"


@pytest.mark.parametrize("is_stored", [False, True])
def test_consumer_killed_before_or_after_its_transaction_counts_once_on_redelivery(
    dynamodb: Any, is_stored: bool
) -> None:
    def die(request: Any) -> None:
        if is_stored:
            dynamodb.transact_write_items(**request)
        raise Killed

    with pytest.raises(Killed):
        deliver(Recorder(dynamodb, die), [message(order_body())])

    reported = deliver(dynamodb, [message(order_body())])

    assert reported == []
    assert total(dynamodb) == (1, 1000)


def test_consumer_killed_during_the_retries_leaves_no_lock(dynamodb: Any) -> None:
    client = Recorder(dynamodb, cancelled("None", CONFLICT), Killed())
    with pytest.raises(Killed):
        deliver(client, [message(order_body())])
    between = items(dynamodb, PROJECTION_TABLE)

    reported = deliver(dynamodb, [message(order_body())])

    assert between == {}
    assert reported == []
    assert total(dynamodb) == (1, 1000)


@pytest.mark.parametrize("seed", range(20))
def test_any_redelivery_order_and_failures_leave_the_total_of_one_delivery_each(
    dynamodb: Any, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a repeatable scenario, nothing secret
    events = {f"o-{n}": chance.randint(1, 1000) for n in range(20)}
    waiting = [message(order_body(*event), f"m-{i}") for i, event in enumerate(list(events.items()) * 3)]

    def lose_the_reply(request: Any) -> None:
        dynamodb.transact_write_items(**request)
        raise ReadTimeoutError(endpoint_url="stub")

    while waiting:
        chance.shuffle(waiting)
        batch, waiting = waiting[:7], waiting[7:]
        step = chance.choice([None, lose_the_reply, error("InternalServerError"), cancelled()])
        reported = deliver(Recorder(dynamodb, step), batch)
        failed = [record for record in batch if record["messageId"] in reported]
        acknowledged = {orders.sales().parse(each["body"]).event_id for each in batch if each not in failed}
        assert {f"INBOX#{event_id}" for event_id in acknowledged} <= items(dynamodb, PROJECTION_TABLE).keys()
        waiting += failed

    assert total(dynamodb) == (20, sum(events.values()))
