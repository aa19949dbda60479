"""Rules of the simulated AWS that no history can compare: time, faults, and executions between their calls."""

import json

import pytest
from botocore.exceptions import ClientError, ParamValidationError, ReadTimeoutError

from tools.simulation.clock import VirtualClock
from tools.simulation.dynamodb import DynamoDB, Table
from tools.simulation.faults import Fault, perform
from tools.simulation.invocation import Invocation, Surroundings
from tools.simulation.sqs import Queue, Sqs
from tools.simulation.streams import DynamoDBStreams, Stream, TrimmedDataAccessException
from tools.soak.system import START_EPOCH_SECONDS

DAY_SECONDS = 86_400
ROW = {"PK": {"S": "a"}, "SK": {"S": "b"}}
PUT = {"Put": {"TableName": "t", "Item": ROW, "ConditionExpression": "attribute_not_exists(PK)"}}


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(START_EPOCH_SECONDS)


@pytest.fixture
def queue(clock: VirtualClock) -> Queue:
    dead = Queue("dead", clock, retention_seconds=2 * DAY_SECONDS)
    return Queue(
        "queue",
        clock,
        retention_seconds=DAY_SECONDS,
        visibility_seconds=60,
        dead_letters=dead,
        receives_most=2,
    )


def test_stream_of_an_item_written_unchanged_has_no_new_record(clock: VirtualClock) -> None:
    stream = Stream("arn", clock)
    table = Table("t", stream)

    table.store(ROW)
    table.store(dict(ROW))
    table.store({**ROW, "n": {"N": "1"}})

    assert [record["eventName"] for record in stream.records()] == ["INSERT", "MODIFY"]


def test_stream_record_is_gone_after_a_day_and_its_reader_told(clock: VirtualClock) -> None:
    stream = Stream("arn", clock)
    stream.append("INSERT", ROW, ROW)
    client = DynamoDBStreams(stream)
    iterator = client.get_shard_iterator(ShardId="shard-0", ShardIteratorType="TRIM_HORIZON")["ShardIterator"]

    clock.wait(DAY_SECONDS + 1)

    assert stream.records() == []
    with pytest.raises(TrimmedDataAccessException):
        client.get_records(ShardIterator=iterator)


def test_queue_hides_a_received_message_for_its_visibility_timeout(clock: VirtualClock, queue: Queue) -> None:
    queue.send("body")

    first, invisible = queue.receive(10), queue.receive(10)
    clock.wait(61)
    again = queue.receive(10)

    assert [len(first), len(invisible), len(again)] == [1, 0, 1]
    assert again[0].receives == 2


def test_queue_dead_letters_the_receive_after_the_last_with_its_age(
    clock: VirtualClock, queue: Queue
) -> None:
    sent = queue.send("body")
    for _ in range(3):
        queue.receive(10)
        clock.wait(61)

    assert queue.dead_letters is not None
    [dead] = queue.dead_letters.messages.values()
    assert (queue.messages, dead.sent_at) == ({}, sent.sent_at)
    clock.wait(2 * DAY_SECONDS)
    queue.dead_letters.expire()
    assert queue.dead_letters.expired == [dead]


def test_queue_handle_of_an_earlier_receive_deletes_nothing(clock: VirtualClock, queue: Queue) -> None:
    queue.send("body")
    [first] = queue.receive(1)
    clock.wait(61)
    [second] = queue.receive(1)

    queue.delete(first.receipt_handle)
    kept = len(queue.messages)
    queue.delete(second.receipt_handle)

    assert (kept, len(queue.messages)) == (1, 0)


@pytest.mark.parametrize("body", ["", "bell \x07", "é" * 600_000])
def test_queue_refuses_what_sqs_refuses(queue: Queue, body: str) -> None:
    with pytest.raises(ClientError, match="InvalidMessageContents"):
        queue.send(body)


def test_queue_body_that_is_no_text_is_refused_as_by_boto3(queue: Queue) -> None:
    with pytest.raises(ParamValidationError):
        Sqs([queue]).send_message(QueueUrl="queue", MessageBody=None)


def test_fault_lost_reply_has_happened_and_lost_request_has_not() -> None:
    table = Table("t")
    client = DynamoDB([table])

    with pytest.raises(ReadTimeoutError):
        perform("put_item", client.put_item, {"TableName": "t", "Item": ROW}, Fault.LOST_REQUEST)
    before = len(table.items)
    with pytest.raises(ReadTimeoutError):
        perform("put_item", client.put_item, {"TableName": "t", "Item": ROW}, Fault.LOST_REPLY)

    assert (before, len(table.items)) == (0, 1)


@pytest.mark.parametrize(
    ("fault", "number", "codes"),
    [
        (Fault.CONFLICT, 1, ["ConditionalCheckFailed", "TransactionConflict"]),
        (Fault.THROTTLE, 0, ["ThrottlingError", "None"]),
        (Fault.REFUSED_ACTIONS, 1, ["ConditionalCheckFailed", "ValidationError"]),
        (Fault.REFUSED_ACTIONS, 5, ["NobodyKnowsThis", "ItemCollectionSizeLimitExceeded"]),
        (Fault.REFUSED_ACTIONS, 8, ["ThrottlingError", "ProvisionedThroughputExceeded"]),
    ],
)
def test_fault_of_actions_cancels_with_a_reason_for_each_and_the_others_are_judged(
    fault: Fault, number: int, codes: list[str]
) -> None:
    table = Table("t")
    table.store(ROW)
    other = {**PUT["Put"], "Item": {"PK": {"S": "other"}, "SK": {"S": "b"}}}
    request = {"TransactItems": [PUT, {"Put": other}]}

    with pytest.raises(ClientError) as cancelled:
        perform("transact_write_items", DynamoDB([table]).transact_write_items, request, fault, number)

    reasons = cancelled.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == codes
    assert list(table.items.values()) == [ROW]


def test_fault_of_actions_comes_in_every_mixture_for_two() -> None:
    mixtures = set()
    for number in range(1 << 10):
        with pytest.raises(ClientError) as cancelled:
            perform(
                "transact_write_items",
                DynamoDB([Table("t")]).transact_write_items,
                {
                    "TransactItems": [
                        PUT,
                        {"Put": {**PUT["Put"], "Item": {"PK": {"S": "x"}, "SK": {"S": "b"}}}},
                    ]
                },
                Fault.REFUSED_ACTIONS,
                number,
            )
        mixtures.add(tuple(reason["Code"] for reason in cancelled.value.response["CancellationReasons"]))

    assert len(mixtures) == 7 * 7 - 1


@pytest.mark.parametrize(
    ("number", "failed"), [(0, "0"), (1, "1"), (2, "01"), (4, "02"), (6, "012"), (7, "0")]
)
def test_fault_partial_fails_any_of_the_entries_and_at_least_one(
    queue: Queue, number: int, failed: str
) -> None:
    entries = [{"Id": str(each), "MessageBody": f"body {each}"} for each in range(3)]
    request = {"QueueUrl": "queue", "Entries": entries}

    answer = perform(
        "send_message_batch", Sqs([queue]).send_message_batch, request, Fault.PARTIAL, entries=number
    )

    assert [entry["Id"] for entry in answer["Failed"]] == list(failed)
    sent = [message.body[-1] for message in queue.messages.values()]
    assert sent == [each for each in "012" if each not in failed]


def test_fault_refused_call_sends_nothing_and_is_none_for_a_message_alone(queue: Queue) -> None:
    entries = [{"Id": str(each), "MessageBody": f"body {each}"} for each in range(2)]
    send = Sqs([queue]).send_message_batch

    with pytest.raises(ClientError, match="BatchRequestTooLong"):
        perform("send_message_batch", send, {"QueueUrl": "queue", "Entries": entries}, Fault.REFUSED_CALL)
    before = len(queue.messages)
    perform("send_message_batch", send, {"QueueUrl": "queue", "Entries": entries[:1]}, Fault.REFUSED_CALL)

    assert (before, len(queue.messages)) == (0, 1)


def _puts_twice(_event: object, surroundings: Surroundings) -> str:
    for key in ("a", "b"):
        item = {"PK": {"S": key}, "SK": {"S": "x"}}
        surroundings.client("dynamodb").put_item(TableName="t", Item=item)
    return "done"


def test_invocation_stops_before_each_call_and_makes_it_once() -> None:
    table = Table("t")
    invocation = Invocation(_puts_twice, {}, lambda _: DynamoDB([table]), timeout_seconds=10)

    stored = [len(table.items)]
    while invocation.pending:
        invocation.advance()
        stored.append(len(table.items))

    assert stored == [0, 1, 2]
    assert invocation.result is not None
    assert json.loads(invocation.result.payload) == "done"


@pytest.mark.parametrize(("after_call", "stored"), [(False, 0), (True, 1)])
def test_invocation_killed_before_or_after_its_call_is_a_function_error(
    after_call: bool, stored: int
) -> None:
    table = Table("t")
    invocation = Invocation(_puts_twice, {}, lambda _: DynamoDB([table]), timeout_seconds=10)

    invocation.kill(after_call=after_call)

    assert len(table.items) == stored
    assert invocation.result is not None
    assert invocation.result.function_error
