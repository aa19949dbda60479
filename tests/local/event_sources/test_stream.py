"""A stream mapping from its records to the function, by the fake clock."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.event_sources.mapping import Mapping
from local.event_sources.observation import Observation
from local.event_sources.shard import Position, Positions
from local.event_sources.stream import StreamPoller
from tests.local.event_sources.fakes import (
    DESTINATION_ARN,
    FUNCTION_ARN,
    ROLE_ARN,
    STREAM_ARN,
    FakeClients,
    FakeClock,
    FakeLambda,
    FakeQueue,
    FakeShard,
    FakeStreams,
    InlineExecutor,
    Throttled,
    change,
    denied,
    numbers,
    reported,
)

OUTBOX_ONLY = '{"eventName": ["INSERT"], "dynamodb": {"NewImage": {"kind": {"S": ["OUTBOX"]}}}}'


class Bench:
    """One poller with its surroundings; `function` gets the sequence numbers it was given and says the answer."""

    def __init__(
        self, *records: dict[str, Any], function: Any = None, speed: float = 1, **settings: Any
    ) -> None:
        self.clock = FakeClock()
        self.streams = FakeStreams(*records)
        self.function = FakeLambda(lambda events: function(numbers(events)) if function else reported())
        self.destination = FakeQueue(self.clock)
        self.clients = FakeClients(lambda_=self.function, dynamodbstreams=self.streams, sqs=self.destination)
        self.positions: Positions = {}
        self.seen: list[Observation] = []
        self.speed = speed
        self.settings = {
            "uuid": "u1",
            "source_arn": STREAM_ARN,
            "function_arn": FUNCTION_ARN,
            "enabled": True,
            "batch_size": 1,
            "reports_failures": True,
            **settings,
        }
        self.poller = self.start()

    def start(self) -> StreamPoller:
        """A new poller that goes on at the stored positions, as after a change of the mapping."""
        return StreamPoller(
            Mapping(**self.settings),
            self.clients,
            positions=self.positions,
            executor=InlineExecutor(),
            clock=self.clock,
            observer=self.seen.append,
            speed=self.speed,
        )

    def run(self, *, seconds: float = 3600) -> list[list[int]]:
        """Step with a quarter of a second between idle steps; returns every delivery so far."""
        end = self.clock.time + seconds
        while self.clock.time < end:
            if not self.poller.step():
                self.clock.wait(0.25)
        return self.delivered

    @property
    def delivered(self) -> list[list[int]]:
        return [numbers(event) for event in self.function.events]

    @property
    def discarded(self) -> list[dict[str, Any]]:
        return [json.loads(call["MessageBody"]) for call in self.destination.sent]


def fails(*bad: int, times: int = 1_000_000) -> Any:
    """A function that stops at the first bad record and reports it, so many times."""
    left = dict.fromkeys(bad, times)

    def function(received: list[int]) -> str:
        for number in received:
            if left.get(number, 0) > 0:
                left[number] -= 1
                return reported(str(number))
        return reported()

    return function


def raises(*bad: int) -> Any:
    """A function that raises whenever a bad record is in the batch."""

    def function(received: list[int]) -> str:
        if set(bad) & set(received):
            raise ArithmeticError
        return reported()

    return function


def test_stream_trim_horizon_delivers_what_was_there_before() -> None:
    bench = Bench(change(1), change(2))

    delivered = bench.run(seconds=1)

    assert delivered == [[1], [2]]


def test_stream_latest_delivers_only_what_comes_later() -> None:
    bench = Bench(change(1), starting_position="LATEST")
    bench.run(seconds=1)
    bench.streams.shards["shard-1"].records.append(change(2))

    delivered = bench.run(seconds=1)

    assert delivered == [[2]]


def test_stream_is_read_with_the_functions_role_and_invoked_by_the_operator() -> None:
    bench = Bench(change(1))

    bench.run(seconds=1)

    assert set(bench.clients.asked) == {("lambda", None), ("dynamodbstreams", ROLE_ARN)}


def test_stream_mapping_does_not_start_without_the_right_to_list_streams(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FakeStreams, "list_streams", denied)

    with pytest.raises(ClientError, match="AccessDenied"):
        Bench(change(1))


def test_stream_batch_size_bounds_a_delivery() -> None:
    bench = Bench(*map(change, range(1, 6)), batch_size=2)

    delivered = bench.run(seconds=1)

    assert delivered == [[1, 2], [3, 4], [5]]


def test_stream_window_waits_for_a_full_batch_or_its_end() -> None:
    bench = Bench(change(1), batch_size=3, window_seconds=10)
    bench.run(seconds=9)
    before = list(bench.delivered)
    bench.streams.shards["shard-1"].records.append(change(2))

    delivered = bench.run(seconds=2)

    assert (before, delivered) == ([], [[1, 2]])


def test_stream_window_ends_early_with_a_full_batch() -> None:
    bench = Bench(change(1), change(2), batch_size=2, window_seconds=300)

    delivered = bench.run(seconds=1)

    assert delivered == [[1, 2]]


def test_stream_window_is_divided_by_the_speed() -> None:
    bench = Bench(change(1), batch_size=3, window_seconds=10, speed=10)

    delivered = bench.run(seconds=2)

    assert delivered == [[1]]


def test_b8_stream_filter_drops_records_and_invokes_nothing_for_them() -> None:
    bench = Bench(change(1, kind="ORDER"), change(2), change(3, kind="ORDER"), filters=(OUTBOX_ONLY,))

    delivered = bench.run(seconds=1)

    assert delivered == [[2]]
    assert [each.records for each in bench.seen if each.what == "filtered"] == [2]
    assert bench.positions["shard-1"] == Position("AFTER_SEQUENCE_NUMBER", "3")


def test_b1_stream_reported_failure_is_delivered_again_before_anything_later() -> None:
    bench = Bench(*map(change, range(1, 5)), batch_size=4, function=fails(2, times=1))

    delivered = bench.run(seconds=60)

    assert delivered == [[1, 2, 3, 4], [2, 3, 4]]


def test_stream_failure_holds_up_the_next_batch() -> None:
    bench = Bench(change(1), change(2), function=fails(1, times=3))

    delivered = bench.run(seconds=60)

    assert delivered == [[1], [1], [1], [1], [2]]


def test_stream_pauses_between_retries_grow() -> None:
    bench = Bench(change(1), function=fails(1))

    bench.run(seconds=7.4)

    assert len(bench.delivered) == 4  # after 0, 0.5, 1.5 and 3.5 s; the next would come after 7.5 s


def test_stream_pauses_between_retries_are_divided_by_the_speed() -> None:
    bench = Bench(change(1), function=fails(1), speed=10)

    bench.run(seconds=0.9)

    assert len(bench.delivered) >= 3


def test_stream_exhausted_retries_send_a_pointer_and_move_on() -> None:
    bench = Bench(change(1), change(2), function=fails(1), retries=2, destination_arn=DESTINATION_ARN)

    delivered = bench.run(seconds=60)

    assert delivered == [[1], [1], [1], [2]]
    [record] = bench.discarded
    assert record["requestContext"] == {
        "requestId": "request-1",
        "functionArn": FUNCTION_ARN,
        "condition": "RetryAttemptsExhausted",
        "approximateInvokeCount": 3,
    }
    assert record["responseContext"] == {
        "statusCode": 200,
        "executedVersion": "$LATEST",
        "functionError": None,
    }
    assert record["DDBStreamBatchInfo"] == {
        "shardId": "shard-1",
        "startSequenceNumber": "1",
        "endSequenceNumber": "1",
        "approximateArrivalOfFirstRecord": "2027-01-15T08:00:00.000Z",
        "approximateArrivalOfLastRecord": "2027-01-15T08:00:00.000Z",
        "batchSize": 1,
        "streamArn": STREAM_ARN,
    }
    assert "NewImage" not in json.dumps(record)  # B6: a pointer, not the record
    assert ("sqs", ROLE_ARN) in bench.clients.asked


def test_stream_exhausted_retries_without_destination_drop_the_batch_and_say_so() -> None:
    bench = Bench(change(1), change(2), function=raises(1), retries=0)

    delivered = bench.run(seconds=60)

    assert delivered == [[1], [2]]
    assert [(each.records, each.reason) for each in bench.seen if each.what == "discarded"] == [
        (1, "RetryAttemptsExhausted")
    ]


def test_stream_bisect_isolates_the_bad_record() -> None:
    bench = Bench(
        *map(change, range(1, 5)),
        batch_size=4,
        function=raises(3),
        bisects=True,
        retries=1,
        destination_arn=DESTINATION_ARN,
    )

    delivered = bench.run(seconds=60)

    assert delivered == [[1, 2, 3, 4], [1, 2], [3, 4], [3], [3], [4]]
    assert [record["DDBStreamBatchInfo"]["startSequenceNumber"] for record in bench.discarded] == ["3"]


def test_stream_throttled_deliveries_spend_no_retry() -> None:
    throttles = iter(range(20))

    def function(_: list[int]) -> str:
        if next(throttles, None) is not None:
            raise Throttled
        return reported()

    bench = Bench(change(1), function=function, retries=0)

    delivered = bench.run(seconds=3600)

    assert len(delivered) == 21
    assert [each.what for each in bench.seen] == ["not invoked"] * 20 + ["answered"]


def test_stream_record_older_than_its_age_is_never_delivered() -> None:
    bench = Bench(
        change(1, age_seconds=3601), change(2), record_age_seconds=3600, destination_arn=DESTINATION_ARN
    )

    delivered = bench.run(seconds=1)

    assert delivered == [[2]]
    [record] = bench.discarded
    assert record["requestContext"]["condition"] == "MaxRecordAgeExceeded"
    assert "responseContext" not in record


def test_stream_record_that_ages_while_it_fails_is_given_up() -> None:
    bench = Bench(change(1), change(2, age_seconds=-100), function=raises(1), record_age_seconds=60)

    delivered = bench.run(seconds=120)

    assert delivered[-1] == [2]
    assert [each.reason for each in bench.seen if each.what == "discarded"] == ["MaxRecordAgeExceeded"]


def test_stream_response_is_ignored_without_reporting() -> None:
    bench = Bench(change(1), change(2), function=fails(1), reports_failures=False)

    delivered = bench.run(seconds=60)

    assert delivered == [[1], [2]]


def test_stream_parallel_lanes_keep_the_order_of_each_item() -> None:
    records = [change(number, key=f"item-{number % 7}") for number in range(1, 71)]
    bench = Bench(*records, parallelization=4, function=fails(8, 15, 40, times=2))

    delivered = bench.run(seconds=120)

    flat = [number for batch in delivered for number in batch]
    done = sorted(set(flat), key=lambda number: len(flat) - flat[::-1].index(number))  # by last delivery
    for item in range(7):
        own = [number for number in done if number % 7 == item]
        assert own == sorted(own)
    assert sorted(set(flat)) == list(range(1, 71))


def test_stream_failing_item_does_not_hold_up_the_other_lanes() -> None:
    records = [change(number, key=f"item-{number}") for number in range(1, 21)]
    bench = Bench(*records, parallelization=10, function=fails(1))

    delivered = bench.run(seconds=600)

    unfinished = {number for number in range(1, 21) if [number] not in delivered}
    assert [1] in delivered
    assert len(unfinished) < 10  # those behind the failing item in its own lane, and no other lane
    assert bench.positions["shard-1"] == Position("AT_SEQUENCE_NUMBER", "1")


def test_stream_position_stays_at_the_earliest_record_that_is_not_done() -> None:
    records = [change(number, key=f"item-{number}") for number in range(8, 21)]
    bench = Bench(*records, parallelization=10, function=fails(*range(9, 21)))

    bench.run(seconds=60)

    assert bench.positions["shard-1"] == Position("AT_SEQUENCE_NUMBER", "9")


def test_b12_stream_poller_started_again_goes_on_behind_what_is_done() -> None:
    bench = Bench(change(1), change(2), change(3), function=fails(2))
    bench.run(seconds=10)
    bench.function.function = lambda _: reported()
    already = len(bench.delivered)

    bench.poller = bench.start()
    delivered = bench.run(seconds=10)

    assert delivered[already:] == [[2], [3]]


def test_stream_expired_iterator_reads_on_at_the_same_place() -> None:
    bench = Bench(change(1))
    bench.run(seconds=1)
    bench.streams.expired.add("shard-1/1")
    bench.streams.shards["shard-1"].records.append(change(2))

    delivered = bench.run(seconds=1)

    assert delivered == [[1], [2]]


def test_d1_stream_trimmed_records_move_the_reader_to_the_oldest_there_is() -> None:
    bench = Bench(change(1))
    bench.run(seconds=1)
    shard = bench.streams.shards["shard-1"]
    shard.records += [change(2), change(3)]
    shard.trimmed = 2

    delivered = bench.run(seconds=1)

    assert delivered == [[1], [3]]
    assert "trimmed" in [each.what for each in bench.seen]


def test_stream_child_shard_waits_for_its_parent() -> None:
    bench = Bench(change(1), change(2), function=fails(1, times=3))
    bench.streams.shards["shard-1"].closed = True
    bench.streams.shards["shard-2"] = FakeShard([change(3)], parent="shard-1")

    delivered = bench.run(seconds=60)

    assert delivered == [[1], [1], [1], [1], [2], [3]]


def test_stream_shard_that_appears_after_the_start_is_read_whole() -> None:
    bench = Bench(change(1), starting_position="LATEST")
    bench.run(seconds=1)
    bench.streams.shards["shard-2"] = FakeShard([change(2)])

    delivered = bench.run(seconds=20)

    assert delivered == [[2]]


def test_stream_shards_without_kinship_do_not_hold_each_other_up() -> None:
    bench = Bench(change(1), function=fails(1))
    bench.streams.shards["shard-2"] = FakeShard([change(2)])

    delivered = bench.run(seconds=60)

    assert [2] in delivered


def test_stream_lost_connection_leaves_the_batch_to_be_delivered_again() -> None:
    lost = iter([True])

    def function(_: list[int]) -> str:
        if next(lost, False):
            raise ConnectionError
        return reported()

    bench = Bench(change(1), function=function, retries=0)
    with pytest.raises(ConnectionError):
        bench.poller.step()

    delivered = bench.run(seconds=1)

    assert delivered == [[1], [1]]
    assert [each.what for each in bench.seen] == ["answered"]
