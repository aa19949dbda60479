"""The errors of the services, as boto3 raises them."""

from typing import Any

from botocore.exceptions import ClientError


def client_error(operation: str, code: str, message: str = "", **fields: Any) -> ClientError:
    """An answer that is an error; `fields` stand beside its `Error`, as CancellationReasons does."""
    return ClientError({"Error": {"Code": code, "Message": message or code}, **fields}, operation)  # type: ignore[typeddict-item]  # fields of one operation


def transaction_cancelled(reasons: list[dict[str, Any]]) -> ClientError:
    """A transaction of which nothing is stored, with a reason for each action."""
    codes = ", ".join(reason["Code"] for reason in reasons)
    return client_error(
        "TransactWriteItems",
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        CancellationReasons=reasons,
    )
