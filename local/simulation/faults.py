"""What can happen to one call of an AWS API."""

from collections.abc import Callable
from enum import Enum
from typing import Any

from botocore.exceptions import ReadTimeoutError

from local.simulation.errors import client_error, transaction_cancelled

Call = Callable[..., dict[str, Any]]


class Fault(Enum):
    """One way for a call to go wrong, after the SDK's own attempts."""

    NONE = "no fault"
    LOST_REQUEST = "the request never arrives"
    LOST_REPLY = "it is done, but the reply is lost"
    CONFLICT = "another transaction holds one of the items"
    THROTTLE = "the service slows the caller down"
    UNAVAILABLE = "the service has an internal error"
    PARTIAL = "one entry of a batch fails, the others are accepted"


def perform(
    operation: str, call: Call, request: dict[str, Any], fault: Fault, entry: int = 0
) -> dict[str, Any]:
    """Make a call under a fault; a fault that this operation cannot have is none.

    Args:
        operation: The client's method, such as `transact_write_items`.
        call: The client's method itself.
        request: Its arguments.
        fault: What happens.
        entry: Which action or entry it happens to, counted from 0 and round and round.
    """
    is_transaction, is_batch = operation == "transact_write_items", "Entries" in request
    if fault is Fault.LOST_REQUEST:
        raise ReadTimeoutError(endpoint_url=operation)
    if fault is Fault.LOST_REPLY:
        call(**request)
        raise ReadTimeoutError(endpoint_url=operation)
    if fault is Fault.UNAVAILABLE:
        raise client_error(operation, "InternalServerError")
    if fault is Fault.THROTTLE and not is_transaction:
        raise client_error(operation, "ThrottlingException")
    if fault in (Fault.CONFLICT, Fault.THROTTLE) and is_transaction:
        code = "TransactionConflict" if fault is Fault.CONFLICT else "ThrottlingError"
        raise transaction_cancelled(_one_of(len(request["TransactItems"]), entry, code))
    if fault is Fault.PARTIAL and is_batch:
        return _all_but_one(call, request, entry)
    return call(**request)


def _one_of(count: int, index: int, code: str) -> list[dict[str, Any]]:
    return [{"Code": code if each == index % count else "None"} for each in range(count)]


def _all_but_one(call: Call, request: dict[str, Any], entry: int) -> dict[str, Any]:
    entries = request["Entries"]
    unlucky = entries[entry % len(entries)]
    rest = [each for each in entries if each is not unlucky]
    answer = call(**{**request, "Entries": rest}) if rest else {"Successful": []}
    failure = {"Id": unlucky["Id"], "SenderFault": False, "Code": "InternalError", "Message": "try again"}
    return {**answer, "Failed": [failure]}
