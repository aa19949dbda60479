"""Faults of one call of an AWS API."""

import random
from collections.abc import Callable
from enum import Enum
from typing import Any

from botocore.exceptions import ReadTimeoutError

from tools.simulation.errors import client_error

Call = Callable[..., dict[str, Any]]


class Fault(Enum):
    """One way for a call to go wrong, after the SDK's own attempts."""

    NONE = "no fault"
    LOST_REQUEST = "the request never arrives"
    LOST_REPLY = "it is done, but the reply is lost"
    CONFLICT = "other transactions hold some of the items"
    THROTTLE = "the service slows the caller down"
    UNAVAILABLE = "the service has an internal error"
    PARTIAL = "some entries of a batch fail, the others are accepted"
    REFUSED_CALL = "the call is turned down as a whole, for what it holds"
    REFUSED_ACTIONS = "actions of a transaction are turned down, each for a cause of its own"


_TRANSACTION, _SEND = "transact_write_items", "send_message_batch"
_REASONS = {
    Fault.CONFLICT: "TransactionConflict",
    Fault.THROTTLE: "ThrottlingError",
}
_REFUSING = ("ValidationError", "ItemCollectionSizeLimitExceeded", "NobodyKnowsThis")
_ANY_REASON = ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", *_REFUSING)
_REFUSALS = {_TRANSACTION: "ValidationException", _SEND: "AWS.SimpleQueueService.BatchRequestTooLong"}


def can_have(fault: Fault, operation: str, request: dict[str, Any]) -> bool:
    """Whether a call of this operation can go wrong in this way.

    A refused call of one message would be no fault, but the queue's last word on that message.
    """
    if fault in (Fault.CONFLICT, Fault.REFUSED_ACTIONS):
        return operation == _TRANSACTION
    if fault is Fault.PARTIAL:
        return "Entries" in request
    if fault is Fault.REFUSED_CALL:
        return operation == _TRANSACTION or (operation == _SEND and len(request["Entries"]) > 1)
    return True


def perform(
    operation: str, call: Call, request: dict[str, Any], fault: Fault, entries: int = 0
) -> dict[str, Any]:
    """Make a call under a fault; a fault that this operation cannot have is none.

    Args:
        operation: The client's method, such as `transact_write_items`.
        call: The client's method itself.
        request: Its arguments.
        fault: What happens.
        entries: Which actions or entries it happens to: the bits of this number plus one, so that 0 is the
            first alone, and, round and round, every choice but none of them. For REFUSED_ACTIONS it is also
            the seed of each action's own cause. The other actions are judged by their conditions.
    """
    if not can_have(fault, operation, request):
        return call(**request)
    if fault is Fault.LOST_REQUEST:
        raise ReadTimeoutError(endpoint_url=operation)
    if fault is Fault.LOST_REPLY:
        call(**request)
        raise ReadTimeoutError(endpoint_url=operation)
    if fault is Fault.UNAVAILABLE:
        raise client_error(operation, "InternalServerError")
    if fault is Fault.REFUSED_CALL:
        raise client_error(operation, _REFUSALS[operation])
    if operation == _TRANSACTION and fault in (*_REASONS, Fault.REFUSED_ACTIONS):
        return call(**request, turned_down=_reasons(fault, len(request["TransactItems"]), entries))
    if fault is Fault.THROTTLE:
        raise client_error(operation, "ThrottlingException")
    if fault is Fault.PARTIAL:
        return _all_but(call, request, _chosen(len(request["Entries"]), entries))
    return call(**request)


def _chosen(count: int, number: int) -> list[bool]:
    """Of so many, some: at least one."""
    bits = number % (2**count - 1) + 1
    return [bool(bits >> index & 1) for index in range(count)]


def _reasons(fault: Fault, count: int, number: int) -> list[str | None]:
    """Of so many actions, the code of each that is turned down: at least one; for odd numbers, each for good.

    Drawn from all codes, several are rarely all for good, which is what handlers conclude most from.
    """
    drawn = random.Random(number)  # noqa: S311 - a fault, no secret
    codes = _REFUSING if number % 2 else _ANY_REASON
    return [(_REASONS.get(fault) or drawn.choice(codes)) if each else None for each in _chosen(count, number)]


def _all_but(call: Call, request: dict[str, Any], unlucky: list[bool]) -> dict[str, Any]:
    entries = list(zip(request["Entries"], unlucky, strict=True))
    rest = [entry for entry, fails in entries if not fails]
    answer = call(**{**request, "Entries": rest}) if rest else {"Successful": []}
    failures = [
        {"Id": entry["Id"], "SenderFault": False, "Code": "InternalError", "Message": "try again"}
        for entry, fails in entries
        if fails
    ]
    return {**answer, "Failed": failures}
