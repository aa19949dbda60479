"""Outcome of one transaction: stored now, shown to be stored before, refused, or unknown.

Every cancelled transaction is judged in the same order. An item that the answer shows can prove that the request was
stored before. If not, an action turned down in passing hides what is stored in its place, so all are tried again. A
failed condition refuses the request only where every action was judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from outbox.cancellation import CANCELLED, Reason, cancellation_reasons, codes, error_code
from outbox.errors import CallRefusedError, NotStoredError, OutOfTimeError
from outbox.retry import Backoff

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

Reasons = Sequence[Reason]


def transact(
    client: DynamoDBClient,
    actions: Sequence[TransactWriteItemTypeDef],
    backoff: Backoff,
    *,
    subject: str,
    is_proved: Callable[[Reasons], bool],
    refuse: Callable[[Reasons], object] = lambda _: None,
) -> bool:
    """Try a transaction until its outcome is known or time is short; False if the same was stored before.

    Args:
        client: the low-level client.
        actions: all writes.
        backoff: the time there is.
        subject: what is to be stored, for the errors.
        is_proved: whether the reasons show that the same was stored before.
        refuse: raises what failed conditions mean; every reason is that or none.

    Raises:
        CallRefusedError: DynamoDB refused the call, or an action for another cause than its condition.
        NotStoredError: No service answered, conflicts or throttling outlasted the time, or the answer
            explained nothing.
    """
    attempt = 0
    while True:
        try:
            backoff.call(client.transact_write_items, TransactItems=actions)
        except OutOfTimeError as error:
            raise OutOfTimeError(_unknown(subject, str(error))) from error
        except (BotoCoreError, ClientError) as error:
            reasons = cancellation_reasons(error, actions=len(actions)) or []
            if reasons and is_proved(reasons):
                return False
            if any(reason.is_passing for reason in reasons):
                if backoff.pause(attempt):
                    attempt += 1
                    continue
            elif reasons and all(reason.is_judged for reason in reasons):
                refuse(reasons)
            raise _failure(subject, error, reasons) from error
        else:
            return True


def _failure(subject: str, error: Exception, reasons: Reasons) -> NotStoredError:
    """The error for an outcome that is not known. The SDK's own message can name endpoints: it is the cause."""
    told = [reason for reason in reasons if reason.code != "None"]
    cause = codes(told) or error_code(error)
    if told:
        is_refused = not any(reason.is_passing for reason in told)
    else:
        is_refused = isinstance(error, ClientError | ParamValidationError) and cause != CANCELLED
    if is_refused:
        return CallRefusedError(
            f"{subject} is refused by DynamoDB ({cause}). Correct the cause, then send the same request again."
        )
    return NotStoredError(_unknown(subject, cause))


def _unknown(subject: str, cause: str) -> str:
    return f"{subject} may or may not be stored ({cause}). Send the same request again."
