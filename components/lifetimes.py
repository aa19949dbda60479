"""How long rows and markers have to be there, and the reconciler's start: pure functions, as in relations.py."""

import re
from datetime import UTC, datetime

from .limits import DAY_SECONDS
from .validation import InvalidSettingError

RECOVERY_HORIZON_SECONDS = 16 * DAY_SECONDS
"""How long an event can be on its way, or wait for somebody: the stream's day, the 14 days for which SQS keeps a
message and its dead-letter message, and a day to act."""

REDRIVE_MARGIN_SECONDS = DAY_SECONDS
"""How long a redriven message, whose age begins anew, may take to be decided on."""


def require_row_lifetime(lifetime_seconds: int) -> None:
    """Outbox rows, if they expire (0: never), are there as long as anybody may have to send them again.

    Raises:
        InvalidSettingError: an event that was never applied could be forgotten.
    """
    if 0 < lifetime_seconds < RECOVERY_HORIZON_SECONDS:
        raise InvalidSettingError(
            f"outbox_row_lifetime_seconds must be 0 (for ever) or at least {RECOVERY_HORIZON_SECONDS}, but is "
            f"{lifetime_seconds}: so long an event can be on its way or wait for recovery."
        )


def require_marker_lifetime(lifetime_seconds: int, *, queue_seconds: int, dead_letter_seconds: int) -> None:
    """Inbox markers, if they expire (0: never), outlive every delivery that can still come.

    The last one is of an event that is sent again just before its outbox row ends, and redriven after that. The
    consumer counts a marker's lifetime from that end, which the message tells; without it the marker stays.
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html

    Raises:
        InvalidSettingError: an event could be counted twice.
    """
    least = queue_seconds + dead_letter_seconds + REDRIVE_MARGIN_SECONDS
    if 0 < lifetime_seconds < least:
        raise InvalidSettingError(
            f"inbox_marker_lifetime_seconds must be {least} or more, but is {lifetime_seconds}: "
            f"queue_retention_seconds ({queue_seconds}) + dead_letter_retention_seconds ({dead_letter_seconds}) "
            f"+ a redrive margin ({REDRIVE_MARGIN_SECONDS}). A replay after its marker is gone counts twice."
        )


def require_index(index_name: object, index_arn: object) -> None:
    """The reconciler finds rows by the index alone.

    Raises:
        InvalidSettingError: the table has none.
    """
    if index_name is None or index_arn is None:
        raise InvalidSettingError(
            "index_name and index_arn must be those of a table with an index by the minute, but one is missing. Set "
            "reconcile_index on the OutboxSource."
        )


def require_index_for_reconciler(*, has_index: bool, has_reconciler: bool) -> None:
    """The stack's settings ask for both, or for no reconciler.

    Raises:
        InvalidSettingError: it would have nothing to look into.
    """
    if has_reconciler and not has_index:
        raise InvalidSettingError(
            "reconcile_index must be true where there is a reconciler, but is false: by the index it finds the rows "
            "of some minutes without reading the whole table."
        )


def reconciler_start(text: str) -> int:
    """The epoch seconds of the reconciler's start; 0 where none is given.

    Raises:
        InvalidSettingError: neither a time in ISO format, nor epoch seconds.
    """
    if not text:
        return 0
    try:
        if re.fullmatch(r"\d{9,10}", text, re.ASCII):
            return int(text)
        moment = datetime.fromisoformat(text)
        epoch = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
        if epoch >= 0:
            return epoch
    except (ValueError, OverflowError):
        pass
    raise InvalidSettingError(
        f"reconciler_start must be a time such as 2026-09-05T12:00Z (UTC without a zone), or epoch seconds of 9 or 10 "
        f"digits, but is {text!r}. Write the time at which the relay began to send to this consumer's queue."
    )
