"""Attributes of an outbox row beside its event: when it was stored, for a search by time, and when it may go.

The walkthrough's rows carry neither. The two attributes of the search make up the keys of a sparse index: a
row without them is not in it, and costs nothing there.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self
from zlib import crc32

from outbox.items import EXPIRES_AT, expiry, require_lifetime
from outbox.outgoing import OutgoingEvent
from outbox.settings import whole_number

# Keys of the index: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-indexes-general-sparse-indexes.html
INDEX_SHARD = "index_shard"
STORED_MINUTE = "stored_minute"
# One partition takes 1,000 writes a second, and an index that is throttled throttles its table: the rows of one
# minute go to eight. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-gsi-aggregation.html
INDEX_SHARDS = tuple(str(number) for number in range(8))


@dataclass(frozen=True)
class RowOptions:
    """Which of them the rows of a table carry; neither by default.

    Raises:
        ValueError: The lifetime is no whole number from 0.
    """

    is_indexed: bool = False
    lifetime_seconds: int = 0
    """0 keeps rows for ever."""

    def __post_init__(self) -> None:
        require_lifetime("lifetime_seconds", self.lifetime_seconds)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """From RECONCILE_INDEX (1 for yes) and OUTBOX_ROW_LIFETIME_SECONDS.

        Raises:
            SettingError: One of them is set to something else than a whole number.
        """
        return cls(
            is_indexed=whole_number(environment, "RECONCILE_INDEX", default=0) > 0,
            lifetime_seconds=whole_number(environment, "OUTBOX_ROW_LIFETIME_SECONDS", default=0),
        )

    def on(self, event: OutgoingEvent, now: float) -> OutgoingEvent:
        """The event with what its row carries when it is stored now (epoch seconds)."""
        extras: dict[str, str | int] = {}
        if self.is_indexed:
            extras[INDEX_SHARD] = INDEX_SHARDS[crc32(event.event_id.encode()) % len(INDEX_SHARDS)]
            extras[STORED_MINUTE] = minute_of(now)
        if self.lifetime_seconds:
            extras[EXPIRES_AT] = expiry(now, self.lifetime_seconds)
        return replace(event, extras={**extras, **event.extras}) if extras else event


def as_stored_now(event: OutgoingEvent, options: RowOptions | None) -> OutgoingEvent:
    """The event with what its row carries; without options, what the component has told its function.

    Read here and not by each command, because one that forgot would lose the Reconciler silently. What an event
    carries already stays.

    Raises:
        SettingError: The environment has a setting that is no whole number.
    """
    return (options or RowOptions.read(os.environ)).on(event, time.time())


def minute_of(epoch_seconds: float) -> str:
    """The minute of a time, in UTC, as text that sorts by time: `2026-09-05T12:00`."""
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%dT%H:%M")


def start_of(minute: str) -> float:
    """The epoch seconds at which a minute begins.

    Raises:
        ValueError: It is no such text.
    """
    return datetime.strptime(f"{minute}+0000", "%Y-%m-%dT%H:%M%z").timestamp()


def time_told_by(minute: object) -> float | None:
    """The epoch seconds that a row's `stored_minute` tells; None for one that another program wrote in its own way."""
    try:
        return start_of(str(minute))
    except ValueError:
        return None
