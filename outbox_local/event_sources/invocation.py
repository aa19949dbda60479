"""Calling the function, as the Lambda service does on behalf of a mapping."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from .events import payload_of

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient


@dataclass(frozen=True)
class Answered:
    """The function ran; `function_error` is set after an exception, a timeout or a crash."""

    payload: bytes
    function_error: str | None = None
    request_id: str = ""
    executed_version: str = "$LATEST"


@dataclass(frozen=True)
class NotInvoked:
    """The function did not run: it was throttled, or Lambda could not invoke it for another reason."""

    reason: str


Outcome = Answered | NotInvoked


def invoke(client: "LambdaClient", function_arn: str, encoded: Iterable[bytes]) -> Outcome:
    """Deliver encoded records and wait for the answer; raises on a lost connection, as the function may have run."""
    try:
        answer = client.invoke(
            FunctionName=function_arn,
            InvocationType="RequestResponse",
            Payload=payload_of(encoded),
        )
    except ClientError as error:
        return NotInvoked(error.response["Error"]["Code"])
    return Answered(
        payload=answer["Payload"].read(),
        function_error=answer.get("FunctionError"),
        request_id=answer["ResponseMetadata"].get("RequestId", ""),
        executed_version=answer.get("ExecutedVersion", "$LATEST"),
    )
