"""Stored mappings that AWS would have refused: left alone, and the reason told once."""

from typing import Any

import pytest

from tests.outbox_local.event_sources.benches import delivered, description, eventually, poller_threads
from tests.outbox_local.event_sources.fakes import FakeLambda, FakeStreams, change


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"FilterCriteria": {"Filters": [{"Pattern": "{"}]}}, "not valid JSON"),
        ({"FilterCriteria": {"Filters": ["x"]}}, "give a list of"),
        ({"BatchSize": 10_001}, "from 1 to 10000"),
        ({"EventSourceArn": "arn:aws:kinesis:eu-central-1:000000000000:stream/s"}, "give the ARN of"),
        ({"EventSourceArn": None}, "names the queue or stream it reads"),
    ],
)
def test_sources_invalid_mapping_is_left_alone_and_its_reason_told_once(
    function: FakeLambda, caplog: pytest.LogCaptureFixture, broken: dict[str, Any], reason: str
) -> None:
    function.mappings = [description("u9", **broken), description()]

    eventually(lambda: delivered(function) == [[1]])
    listings = function.listings
    eventually(lambda: function.listings > listings + 3)

    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert caplog.text.count("mapping u9 is left alone") == caplog.text.count(reason) == 1


@pytest.mark.usefixtures("sources")
def test_sources_mapping_that_was_invalid_for_a_while_goes_on_at_its_place(
    function: FakeLambda, streams: FakeStreams, caplog: pytest.LogCaptureFixture
) -> None:
    function.mappings = [description()]
    eventually(lambda: delivered(function) == [[1]])
    function.mappings = [description(BatchSize=0)]
    eventually(lambda: poller_threads() == 0)
    listings = function.listings
    eventually(lambda: function.listings > listings + 3)
    streams.shards["shard-1"].records.append(change(2))

    function.mappings = [description()]

    eventually(lambda: len(function.events) > 1)
    assert delivered(function) == [[1], [2]]
    assert caplog.text.count("mapping u1 is left alone: BatchSize is 0") == 1
