"""Pause between two reads of a shard."""

import pytest

from outbox_local.event_sources.worker import stream_poll_seconds


@pytest.mark.parametrize(("speed", "seconds"), [(1.0, 0.25), (2.0, 0.125), (30.0, 0.05)])
def test_shard_is_read_as_often_as_by_aws_times_the_speed_but_not_all_the_time(
    speed: float, seconds: float
) -> None:
    pause = stream_poll_seconds(speed)

    assert pause == seconds
