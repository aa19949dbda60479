"""Records that Lambda passes to a function behind an event source mapping, and the answer that it understands.

An answer of any other shape means that the whole batch succeeded, or that the whole batch failed.
https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypedDict

from outbox.errors import InvalidInputError, describe

Record = Mapping[str, Any]


class LambdaContext(Protocol):
    """The part of the context object that is used here."""

    @property
    def function_name(self) -> str:
        """Name of the function, for its metrics."""

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda ends the invocation."""


class BatchItemFailure(TypedDict):
    """One record to deliver again."""

    itemIdentifier: str


class BatchResponse(TypedDict):
    """Which records of the batch failed; none when the list is empty."""

    batchItemFailures: list[BatchItemFailure]


def failures(identifiers: Iterable[str]) -> BatchResponse:
    """The answer that reports these records."""
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in identifiers]}


def records_of(event: object) -> list[Record]:
    """The records of a batch.

    Raises:
        InvalidInputError: This is no batch; Lambda then counts the invocation as failed.
    """
    records = event.get("Records") if isinstance(event, Mapping) else None
    if not isinstance(records, list):
        raise InvalidInputError(
            "The invocation has no list of Records; this function answers an event source mapping alone."
        )
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InvalidInputError(f"Records[{number}] must be an object, but is {describe(record)}.")
    return records


def part_of(record: Record, name: str) -> Record:
    """An object within a record, empty where the record has none.

    Raises:
        InvalidInputError: It is no object. What such a record wants said is unknown, so the whole invocation
            has to fail.
    """
    part = record.get(name, {})
    if not isinstance(part, Mapping):
        raise InvalidInputError(f"{name} of a record must be an object, but is {describe(part)}.")
    return part


def identifier_of(record: Record, name: str) -> str:
    """A record's identifier.

    Raises:
        InvalidInputError: It has none. Answering without it would report nothing or everything, so
            the whole invocation has to fail.
    """
    identifier = record.get(name)
    if not isinstance(identifier, str) or not identifier:
        raise InvalidInputError(
            f"{name} of a record must be text that is not empty, but is {describe(identifier)}."
        )
    return identifier
