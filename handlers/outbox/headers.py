"""Headers: texts that travel beside an event's body, in its row and as attributes of its message.

They are no part of the event's content: neither the digest nor the comparison of a repeated request sees them.
The library adds one by itself: the time at which the row may go, which tells a consumer that the marker may go later.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from outbox.bodies import MAXIMUM_BODY_BYTES, refused_character
from outbox.errors import InvalidInputError, describe
from outbox.items import EXPIRES_AT
from outbox.texts import utf8_bytes

if TYPE_CHECKING:
    from types_boto3_sqs.type_defs import MessageAttributeValueTypeDef

HEADERS = "headers"
"""Attribute of an outbox row that has headers."""
ROW_EXPIRES_AT = "row_expires_at"
"""Message attribute with the epoch seconds at which the row of its event may go."""
# SQS takes ten attributes; one is the library's own.
MAXIMUM_HEADERS = 9
MAXIMUM_NAME_CHARACTERS = 256
MOST_DIGITS = 11  # of epoch seconds
LIBRARY_NAMES = frozenset({ROW_EXPIRES_AT})


def require_headers(event_id: str, body: str, headers: Mapping[str, str]) -> None:
    """Refuse headers that SQS would not take, or that together with the body are too large for a message.

    Raises:
        InvalidInputError: A name or a value is not valid, there are too many, or they are too large.
    """
    if not headers:
        return
    given: object = headers
    if not isinstance(given, Mapping):
        raise InvalidInputError(
            f"headers of {event_id} must be a mapping of texts, but are {describe(given)}"
        )
    if len(headers) > MAXIMUM_HEADERS:
        raise InvalidInputError(
            f"{event_id} has {len(headers)} headers; a message takes {MAXIMUM_HEADERS} beside the library's own"
        )
    for name, value in headers.items():
        _require_header(event_id, name, value)
    size = utf8_bytes(body) + attribute_bytes(headers)
    if size > MAXIMUM_BODY_BYTES:
        raise InvalidInputError(
            f"{event_id} has {size} bytes with its headers, SQS accepts {MAXIMUM_BODY_BYTES}. "
            "Send a reference instead of the content."
        )


def attribute_bytes(headers: Mapping[str, str]) -> int:
    """What headers, and the library's own attribute, add to a message: names, types and values."""
    own = len(ROW_EXPIRES_AT) + len("Number") + len("0123456789")
    return own + sum(len(name) + len("String") + utf8_bytes(value) for name, value in headers.items())


def stored_headers(row: Mapping[str, Any]) -> dict[str, str]:
    """The headers of a row in wire form, and when it may go; values of another form are none."""
    given = row.get(HEADERS, {}).get("M", {})
    headers = {
        name: value["S"] for name, value in given.items() if value.get("S") and name not in LIBRARY_NAMES
    }
    end = row.get(EXPIRES_AT, {}).get("N", "")
    if end.isdecimal():
        headers[ROW_EXPIRES_AT] = end
    return headers


def message_attributes(headers: Mapping[str, str]) -> dict[str, MessageAttributeValueTypeDef]:
    """Headers as SQS takes them."""
    return {
        name: {"DataType": "Number" if name in LIBRARY_NAMES else "String", "StringValue": value}
        for name, value in headers.items()
    }


def received_headers(record: Mapping[str, Any]) -> dict[str, str]:
    """The headers of a message as Lambda hands it over; attributes that are no text are none."""
    given = record.get("messageAttributes")
    if not given or not isinstance(given, Mapping):  # most messages have none
        return {}
    return {
        name: value["stringValue"]
        for name, value in given.items()
        if isinstance(value, Mapping) and isinstance(value.get("stringValue"), str)
    }


def row_end(headers: Mapping[str, str]) -> int | None:
    """When the row of a message's event may go, in epoch seconds; None where no message tells."""
    text = headers.get(ROW_EXPIRES_AT, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None


def _require_header(event_id: str, name: object, value: object) -> None:
    if not isinstance(name, str) or not _name().fullmatch(name) or len(name) > MAXIMUM_NAME_CHARACTERS:
        raise InvalidInputError(
            f"{event_id} has a header {describe(name)}: a name must be 1 to {MAXIMUM_NAME_CHARACTERS} letters, digits, "
            "'-', '_' and single dots between them, and must not begin with AWS. or Amazon."
        )
    if name in LIBRARY_NAMES:
        raise InvalidInputError(
            f"{event_id} has a header {name}, which the library sets itself: choose another name"
        )
    if not isinstance(value, str) or not value or refused_character(value):
        raise InvalidInputError(
            f"The header {name} of {event_id} must be text of characters that SQS accepts, but is {describe(value)}"
        )


@cache
def _name() -> re.Pattern[str]:
    return re.compile(r"(?!(?i:aws|amazon)\.)[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
