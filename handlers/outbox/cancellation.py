"""Why DynamoDB cancelled a transaction, action by action.

"Cancelled" alone says nothing about what is stored: a conflict and a duplicate look the same until
the reasons are read.
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CancellationReason.html
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from outbox.wire import from_wire

CANCELLED = "TransactionCanceledException"

_PASSING = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})

# Of a whole call, whether it was carried out or not: conditions tell that at the next try.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
# Numbers are the SDK's codes for an answer of status 5xx that no service wrote.
_PASSING_CALL = frozenset(
    {
        "500",
        "502",
        "503",
        "504",
        "InternalError",
        "InternalFailure",
        "InternalServerError",
        "KmsThrottled",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottlingException",
        "TransactionInProgressException",
    }
)


class Reason(NamedTuple):
    """Outcome of one action; `item` is what was stored in its place, if the answer holds it."""

    code: str
    item: Mapping[str, Any] | None

    @property
    def condition_failed(self) -> bool:
        """Something is stored already where the action wanted to be first."""
        return self.code == "ConditionalCheckFailed"

    @property
    def is_passing(self) -> bool:
        """The same action may well succeed in a moment."""
        return self.code in _PASSING or self.code in _PASSING_CALL

    @property
    def is_judged(self) -> bool:
        """The action's condition was looked at: what it says of the stored item holds."""
        return self.code == "None" or self.condition_failed

    @property
    def is_fault(self) -> bool:
        """The action itself was turned down, rather than cancelled along with others."""
        return self.code != "None" and not self.is_passing


def error_code(error: Exception) -> str:
    """The service's code for an error, or the name of its class when no service answered."""
    if isinstance(error, ClientError):
        # Amazon SQS puts the names of namespaces before some codes.
        return error.response.get("Error", {}).get("Code", type(error).__name__).rpartition(".")[2]
    return type(error).__name__


def is_passing(error: Exception) -> bool:
    """Whether a service turned a whole call down and may well accept the same one in a moment."""
    return isinstance(error, ClientError) and error_code(error) in _PASSING_CALL


def cancellation_reasons(error: Exception, *, actions: int) -> list[Reason] | None:
    """The reasons in the order of the actions; None unless there is exactly one with a code for each action.

    A call that was turned down in passing as a whole was so for each of its actions.
    """
    if is_passing(error):
        return [Reason(error_code(error), None)] * actions
    if not isinstance(error, ClientError) or error_code(error) != CANCELLED:
        return None
    # The old item is in wire form, whichever layer of the SDK made the call.
    reasons = [
        Reason(reason["Code"], from_wire(reason["Item"]) if reason.get("Item") else None)
        for reason in error.response.get("CancellationReasons", [])
        if "Code" in reason
    ]
    return reasons if len(reasons) == actions else None


def codes(reasons: Sequence[Reason]) -> str:
    """The distinct codes, for a log line."""
    return ", ".join(sorted({reason.code for reason in reasons}))
