"""Failed deliveries of a stream: checkpoints, retries, bisecting, record age, destination."""

import json

import pytest

from tests.outbox_local.event_sources.benches import StreamBench, fails, raises
from tests.outbox_local.event_sources.fakes import (
    DESTINATION_ARN,
    FUNCTION_ARN,
    ROLE_ARN,
    STREAM_ARN,
    Throttled,
    change,
    reported,
)


def test_stream_pauses_between_retries_grow() -> None:
    bench = StreamBench(change(1), function=fails(1))

    bench.run(seconds=7.4)

    assert len(bench.delivered) == 4  # after 0, 0.5, 1.5 and 3.5 s; the next would come after 7.5 s


def test_stream_pauses_between_retries_are_divided_by_the_speed() -> None:
    bench = StreamBench(change(1), function=fails(1), speed=10)

    bench.run(seconds=0.9)

    assert len(bench.delivered) >= 3


def test_stream_exhausted_retries_send_a_pointer_and_move_on() -> None:
    bench = StreamBench(change(1), change(2), function=fails(1), retries=2, destination_arn=DESTINATION_ARN)

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
    bench = StreamBench(change(1), change(2), function=raises(1), retries=0)

    delivered = bench.run(seconds=60)

    assert delivered == [[1], [2]]
    assert [(each.records, each.reason) for each in bench.seen if each.what == "discarded"] == [
        (1, "RetryAttemptsExhausted")
    ]


def test_stream_bisect_isolates_the_bad_record() -> None:
    bench = StreamBench(
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

    bench = StreamBench(change(1), function=function, retries=0)

    delivered = bench.run(seconds=3600)

    assert len(delivered) == 21
    assert [each.what for each in bench.seen] == ["not invoked"] * 20 + ["answered"]


def test_stream_record_older_than_its_age_is_never_delivered() -> None:
    bench = StreamBench(
        change(1, age_seconds=3601), change(2), record_age_seconds=3600, destination_arn=DESTINATION_ARN
    )

    delivered = bench.run(seconds=1)

    assert delivered == [[2]]
    [record] = bench.discarded
    assert record["requestContext"]["condition"] == "RecordAgeExceeded"
    assert "responseContext" not in record


def test_stream_record_that_ages_while_it_fails_is_abandoned() -> None:
    bench = StreamBench(change(1), change(2, age_seconds=-100), function=raises(1), record_age_seconds=60)

    delivered = bench.run(seconds=120)

    assert delivered[-1] == [2]
    assert [each.reason for each in bench.seen if each.what == "discarded"] == ["RecordAgeExceeded"]


def test_stream_lost_connection_leaves_the_batch_to_be_delivered_again() -> None:
    lost = iter([True])

    def function(_: list[int]) -> str:
        if next(lost, False):
            raise ConnectionError
        return reported()

    bench = StreamBench(change(1), function=function, retries=0)
    with pytest.raises(ConnectionError):
        bench.poller.step()

    delivered = bench.run(seconds=1)

    assert delivered == [[1], [1]]
    assert [each.what for each in bench.seen] == ["answered"]
