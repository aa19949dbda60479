"""Where the pointer to discarded records goes."""

import json
import logging
from typing import Any

import pytest

from tests.outbox_local.event_sources.benches import StreamBench, raises
from tests.outbox_local.event_sources.fakes import DESTINATION_ARN, ROLE_ARN, FakeQueue, change, denied

TOPIC_ARN = "arn:aws:sns:eu-central-1:000000000000:failures"


class Topic:
    """An SNS topic that keeps what is published."""

    def __init__(self) -> None:
        self.published: list[dict[str, Any]] = []

    def publish(self, **call: Any) -> None:
        self.published.append(call)


def test_stream_destination_that_is_a_topic_is_published_to_with_the_functions_role() -> None:
    topic = Topic()
    bench = StreamBench(change(1), function=raises(1), retries=0, sns=topic, destination_arn=TOPIC_ARN)

    bench.run(seconds=1)

    [call] = topic.published
    assert call["TopicArn"] == TOPIC_ARN
    assert json.loads(call["Message"])["DDBStreamBatchInfo"]["startSequenceNumber"] == "1"
    assert ("sns", ROLE_ARN) in bench.clients.asked


def test_stream_destination_that_refuses_is_logged_and_the_shard_moves_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(FakeQueue, "send_message", denied)
    bench = StreamBench(change(1), change(2), function=raises(1), retries=0, destination_arn=DESTINATION_ARN)

    with caplog.at_level(logging.ERROR):
        delivered = bench.run(seconds=1)

    assert delivered == [[1], [2]]
    assert "refused this record of discarded stream records" in caplog.text
