"""A stream mapping from its records to the function: where it begins, batches, windows, filters, roles."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from outbox_local.event_sources.shard import Position
from tests.outbox_local.event_sources.benches import StreamBench, fails
from tests.outbox_local.event_sources.fakes import (
    ROLE_ARN,
    FakeStreams,
    change,
    denied,
)

OUTBOX_ONLY = '{"eventName": ["INSERT"], "dynamodb": {"NewImage": {"kind": {"S": ["OUTBOX"]}}}}'


@pytest.mark.parametrize(
    ("count", "settings", "delivered"),
    [
        pytest.param(2, {}, [[1], [2]], id="trim horizon"),
        pytest.param(5, {"batch_size": 2}, [[1, 2], [3, 4], [5]], id="batch size"),
        pytest.param(2, {"batch_size": 2, "window_seconds": 300}, [[1, 2]], id="full before the window ends"),
        pytest.param(
            1, {"batch_size": 3, "window_seconds": 10, "speed": 10}, [[1]], id="window by the speed"
        ),
        pytest.param(2, {"function": fails(1), "reports_failures": False}, [[1], [2]], id="not reporting"),
        pytest.param(2, {"function": fails(1, times=1)}, [[1], [1], [2]], id="failure before the next"),
        pytest.param(
            4,
            {"batch_size": 4, "function": fails(2, times=1)},
            [[1, 2, 3, 4], [2, 3, 4]],
            id="from the reported one on",
        ),
    ],
)
def test_stream_delivers_in_these_batches(
    count: int, settings: dict[str, Any], delivered: list[list[int]]
) -> None:
    bench = StreamBench(*map(change, range(1, count + 1)), **settings)

    assert bench.run(seconds=2) == delivered


def test_stream_latest_delivers_only_what_comes_later() -> None:
    bench = StreamBench(change(1), starting_position="LATEST")
    bench.run(seconds=1)
    bench.streams.shards["shard-1"].records.append(change(2))

    delivered = bench.run(seconds=1)

    assert delivered == [[2]]


def _restart(bench: StreamBench) -> None:
    bench.poller = bench.start()


def _expire_the_iterator(bench: StreamBench) -> None:
    bench.streams.expired.add("shard-1/1")


@pytest.mark.parametrize("interrupt", [_restart, _expire_the_iterator])
def test_stream_latest_goes_on_with_what_came_before_the_first_record_was_read(
    interrupt: Callable[[StreamBench], None],
) -> None:
    bench = StreamBench(change(1, age_seconds=60), starting_position="LATEST")
    bench.run(seconds=1)
    bench.streams.shards["shard-1"].records.append(change(2))

    interrupt(bench)
    bench.run(seconds=1)
    interrupt(bench)

    assert bench.run(seconds=1) == [[2]]
    assert bench.positions["shard-1"] == Position("AFTER_SEQUENCE_NUMBER", "2")


def test_stream_latest_goes_on_at_its_beginning_as_often_as_it_is_started_again() -> None:
    bench = StreamBench(*(change(n, age_seconds=60) for n in range(1, 2500)), starting_position="LATEST")
    for _ in range(3):
        bench.run(seconds=2)
        bench.poller = bench.start()
    bench.streams.shards["shard-1"].records.append(change(2500, age_seconds=-7))

    delivered = bench.run(seconds=2)

    assert delivered == [[2500]]


def test_stream_latest_takes_a_record_of_its_first_iterator_whatever_its_time() -> None:
    bench = StreamBench(starting_position="LATEST")
    bench.run(seconds=1)
    bench.streams.shards["shard-1"].records.append(change(1, age_seconds=60))

    delivered = bench.run(seconds=1)

    assert delivered == [[1]]


def test_stream_is_read_with_the_functions_role_and_invoked_by_the_operator() -> None:
    bench = StreamBench(change(1))

    bench.run(seconds=1)

    assert set(bench.clients.asked) == {("lambda", None), ("dynamodbstreams", ROLE_ARN)}


def test_stream_mapping_does_not_start_without_the_right_to_list_streams(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FakeStreams, "list_streams", denied)

    with pytest.raises(ClientError, match="AccessDenied"):
        StreamBench(change(1))


def test_stream_window_waits_for_a_full_batch_or_its_end() -> None:
    bench = StreamBench(change(1), batch_size=3, window_seconds=10)
    bench.run(seconds=9)
    before = list(bench.delivered)
    bench.streams.shards["shard-1"].records.append(change(2))

    delivered = bench.run(seconds=2)

    assert (before, delivered) == ([], [[1, 2]])


def test_stream_filter_drops_records_and_invokes_nothing_for_them() -> None:
    bench = StreamBench(change(1, kind="ORDER"), change(2), change(3, kind="ORDER"), filters=(OUTBOX_ONLY,))

    delivered = bench.run(seconds=1)

    assert delivered == [[2]]
    assert [each.records for each in bench.seen if each.what == "filtered"] == [2]
    assert bench.positions["shard-1"] == Position("AFTER_SEQUENCE_NUMBER", "3")
