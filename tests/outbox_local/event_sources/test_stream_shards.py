"""A stream's shards: order, concurrent batches, stored positions, parents and children, trimmed records."""

import pytest
from botocore.exceptions import ReadTimeoutError

from outbox_local.event_sources import shard
from outbox_local.event_sources.shard import Position
from tests.outbox_local.event_sources.benches import StreamBench, fails, raises
from tests.outbox_local.event_sources.fakes import (
    FakeShard,
    change,
    reported,
)


def test_stream_concurrent_batches_keep_the_order_of_each_item() -> None:
    records = [change(number, key=f"item-{number % 7}") for number in range(1, 71)]
    bench = StreamBench(*records, parallelization=4, function=fails(8, 15, 40, times=2))

    delivered = bench.run(seconds=120)

    flat = [number for batch in delivered for number in batch]
    done = sorted(set(flat), key=lambda number: len(flat) - flat[::-1].index(number))  # by last delivery
    for item in range(7):
        own = [number for number in done if number % 7 == item]
        assert own == sorted(own)
    assert sorted(set(flat)) == list(range(1, 71))


def test_stream_failing_item_does_not_hold_up_the_other_concurrent_batches() -> None:
    records = [change(number, key=f"item-{number}") for number in range(1, 21)]
    bench = StreamBench(*records, parallelization=10, function=fails(1))

    delivered = bench.run(seconds=600)

    unfinished = {number for number in range(1, 21) if [number] not in delivered}
    assert [1] in delivered
    assert len(unfinished) < 10  # those behind the failing item in its own concurrent batch, and of no other
    assert bench.positions["shard-1"] == Position("AT_SEQUENCE_NUMBER", "1")


def test_stream_failing_item_with_many_changes_does_not_hold_up_the_other_concurrent_batches() -> None:
    records = [change(number, key="bad") for number in range(1, 121)]
    records += [change(number, key=f"item-{number}") for number in range(1001, 3001)]
    bench = StreamBench(*records, batch_size=10, parallelization=10, function=raises(*range(1, 121)))

    delivered = bench.run(seconds=600)

    good = {number for batch in delivered if batch[0] > 1000 for number in batch}
    assert (
        1750 < len(good) < 1850
    )  # all but those behind the failing item in its own concurrent batch: one of ten


def test_stream_records_behind_a_failing_item_are_read_so_far_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard, "READ_AHEAD_RECORDS_MOST", 100)
    monkeypatch.setattr(shard, "READ_RECORDS_MOST", 10)
    bench = StreamBench(*(change(number) for number in range(1, 500)), parallelization=10, function=fails(1))

    bench.run(seconds=60)

    [reader] = bench.poller.open_shards()
    assert reader._cursor == Position("AFTER_SEQUENCE_NUMBER", "110")  # a batch each, and those ahead


@pytest.mark.parametrize("bad", [1, 2, 3, 4])
def test_stream_delivery_that_ends_in_an_error_keeps_no_other_concurrent_batch_from_moving_on(
    bad: int,
) -> None:
    def function(numbers: list[int]) -> str:
        if bad in numbers:
            raise ReadTimeoutError(endpoint_url="lambda")
        return reported()

    bench = StreamBench(
        *(change(n, key=f"item-{n}") for n in range(1, 11)), parallelization=10, function=function
    )

    for _ in range(12):
        with pytest.raises(ReadTimeoutError):
            bench.poller.step()

    others = [batch for batch in bench.delivered if batch != [bad]]
    assert len(others) == len({number for [number] in others}) > 5
    assert bench.positions["shard-1"] == Position("AT_SEQUENCE_NUMBER", str(bad))


def test_stream_shard_that_cannot_be_read_keeps_no_other_shard_from_moving_on() -> None:
    bench = StreamBench(change(1))
    bench.streams.shards["shard-2"] = FakeShard([change(2)])
    bench.streams.shards["shard-1"].is_broken = True

    with pytest.raises(ConnectionError):
        bench.poller.step()

    assert bench.delivered == [[2]]


def test_stream_position_stays_at_the_earliest_record_that_is_not_done() -> None:
    records = [change(number, key=f"item-{number}") for number in range(8, 21)]
    bench = StreamBench(*records, parallelization=10, function=fails(*range(9, 21)))

    bench.run(seconds=60)

    assert bench.positions["shard-1"] == Position("AT_SEQUENCE_NUMBER", "9")


def test_stream_poller_started_again_goes_on_behind_what_is_done() -> None:
    bench = StreamBench(change(1), change(2), change(3), function=fails(2))
    bench.run(seconds=10)
    bench.function.function = lambda _: reported()
    already = len(bench.delivered)

    bench.poller = bench.start()
    delivered = bench.run(seconds=10)

    assert delivered[already:] == [[2], [3]]


def test_stream_expired_iterator_reads_on_at_the_same_place() -> None:
    bench = StreamBench(change(1))
    bench.run(seconds=1)
    bench.streams.expired.add("shard-1/1")
    bench.streams.shards["shard-1"].records.append(change(2))

    delivered = bench.run(seconds=1)

    assert delivered == [[1], [2]]


def test_stream_trimmed_records_move_the_reader_to_the_oldest_there_is() -> None:
    bench = StreamBench(change(1))
    bench.run(seconds=1)
    shard = bench.streams.shards["shard-1"]
    shard.records += [change(2), change(3)]
    shard.trimmed = 2

    delivered = bench.run(seconds=1)

    assert delivered == [[1], [3]]
    assert "trimmed" in [each.what for each in bench.seen]


def test_stream_child_shard_waits_for_its_parent() -> None:
    bench = StreamBench(change(1), change(2), function=fails(1, times=3))
    bench.streams.shards["shard-1"].closed = True
    bench.streams.shards["shard-2"] = FakeShard([change(3)], parent="shard-1")

    delivered = bench.run(seconds=60)

    assert delivered == [[1], [1], [1], [1], [2], [3]]


def test_stream_shard_that_appears_after_the_start_is_read_whole() -> None:
    bench = StreamBench(change(1), starting_position="LATEST")
    bench.run(seconds=1)
    bench.streams.shards["shard-2"] = FakeShard([change(2)])

    delivered = bench.run(seconds=20)

    assert delivered == [[2]]


def test_stream_shards_without_kinship_do_not_hold_each_other_up() -> None:
    bench = StreamBench(change(1), function=fails(1))
    bench.streams.shards["shard-2"] = FakeShard([change(2)])

    delivered = bench.run(seconds=60)

    assert [2] in delivered
