"""Parser of a function's batch response.

Sources: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
and https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html. Both list the same
conditions: an empty or null answer and an empty or null list are a complete success; invalid JSON and an
identifier that is empty, null, unknown or under another name are a complete failure.
"""

import json
from collections.abc import Sequence


def failed_identifiers(
    payload: bytes, *, function_error: str | None, identifiers: Sequence[str], reporting: bool
) -> frozenset[str]:
    """Tell which of the delivered records failed.

    Args:
        payload: The body of the Invoke answer.
        function_error: Its FunctionError field: set after an exception, a timeout or a crash.
        identifiers: Message ids or sequence numbers, in the order of delivery.
        reporting: Whether the mapping has ReportBatchItemFailures; without it the answer is ignored.
    """
    everything = frozenset(identifiers)
    if function_error is not None:
        return everything
    if not reporting or not payload:
        return frozenset()
    reported = _reported(payload)
    return everything if reported is None or not reported <= everything else reported


def _reported(payload: bytes) -> frozenset[str] | None:
    """The identifiers the answer names, or None for an answer of another shape."""
    try:
        answer = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    if answer is None:
        return frozenset()
    if not isinstance(answer, dict):
        return None
    # An object without the list is read like one whose list is null: a misspelt list name means success.
    failures = answer.get("batchItemFailures")
    if failures is None:
        return frozenset()
    if not isinstance(failures, list):
        return None
    names = [failure.get("itemIdentifier") if isinstance(failure, dict) else None for failure in failures]
    known = frozenset(name for name in names if isinstance(name, str))
    return known if all(isinstance(name, str) for name in names) else None
