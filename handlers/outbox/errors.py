"""Everything the library raises on purpose, and the words for a refused value."""

from collections.abc import Mapping
from typing import Any

from outbox.texts import is_text

_LARGEST_PRINTED_INTEGER = 10**12


class OutboxError(Exception):
    """Raised when the library refuses or cannot finish something; base of all below."""


class SettingError(OutboxError):
    """Raised when an environment variable of the function is missing or unusable."""


class InvalidInputError(OutboxError, ValueError):
    """Raised when a command, a message or an invocation has a value that is never accepted."""


class DomainCodeError(OutboxError):
    """Raised when domain code raised for an event, or answered what are no effects; its cause says where."""


class UnknownEventError(InvalidInputError):
    """Raised when a message is an event of a type or version that the consumer does not understand."""


class ConflictingRequest(OutboxError):  # noqa: N818 - the documented word that callers and log searches use
    """Raised when the entity already exists with other content than the request asks for."""


class VersionConflictError(OutboxError):
    """Raised when an entity is stored at another version than the request was made for, or not at all."""


class WriteRefusedError(OutboxError):
    """Raised when the condition of a caller's own write failed; nothing was stored.

    Attributes:
        index: which of the writes, from 0.
        item: what is stored in its place, if the write asked for it (ALL_OLD), in plain values.
    """

    def __init__(self, message: str, index: int, item: Mapping[str, Any] | None) -> None:
        super().__init__(message)
        self.index = index
        self.item = item


class ConflictingContent(OutboxError):  # noqa: N818 - the documented word that log searches use
    """Raised when an event id was applied before with other content than this message has."""


class EventIdTakenError(OutboxError):
    """Raised when the outbox row of an event exists, but this request cannot have written it."""


class OutboxRowMissingError(OutboxError):
    """Raised when an entity is stored as requested, and the outbox row that would send its event is not."""


class EffectRefusedError(OutboxError):
    """Raised when the database will never accept the effect of an event as it is."""


class NotStoredError(OutboxError):
    """Raised when nothing shows that a transaction was stored; trying again is safe."""


class CallRefusedError(NotStoredError):
    """Raised when DynamoDB refuses a transaction as it is, or the right to it; the cause has AWS's own words."""


class NotSentError(OutboxError):
    """Raised when a queue did not accept an event for now; trying again is safe."""


class UnfinishedError(OutboxError):
    """Raised when a run ended before it had looked at everything; what it did is done."""


class NotReadError(OutboxError):
    """Raised when a table did not answer for all that was asked; trying again is safe."""


class OutOfTimeError(NotStoredError, NotSentError, NotReadError):
    """Raised when a call to AWS could outlast the invocation, so it was not made or not tried again."""


def words_of(error: Exception) -> str:
    """An error's message; of one whose `str` raises, a sentence that says so."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - an error of domain code, told for its neighbours' sake
        return "<its str() raised an error>"


def describe(value: object) -> str:
    """A value's type, with the value itself only where it is short and cannot be private."""
    name = type(value).__name__
    if value is None:
        return "null"
    if isinstance(value, str) and not is_text(value):
        return f"{name} of length {len(value)} with half a surrogate pair"
    if isinstance(value, str | list | dict | set | frozenset):
        return f"{name} of length {len(value)}"
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST_PRINTED_INTEGER):
        return f"{name} {value!r}"
    return name
