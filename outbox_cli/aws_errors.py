"""Explains an error of AWS to the person at the terminal: one sentence, with the next step."""

import os
import re
from collections.abc import Callable

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectionError,  # noqa: A004 botocore's own, the base of all its failures to connect
    CredentialRetrievalError,
    LoginError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
    ReadTimeoutError,
    ResponseStreamingError,
    SSLError,
    SSOError,
    TokenRetrievalError,
)
from botocore.parsers import ResponseParserError

# Each service spells its own; these are the ones of the services here.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"}
UNKNOWN_KEYS = {
    "AuthFailure",
    "IncompleteSignature",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}
DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"}
THROTTLED = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestThrottledException",
    "ThrottledException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
}
UNKNOWN_RESOURCE = {
    "AWS.SimpleQueueService.NonExistentQueue",
    "QueueDoesNotExist",
    "ResourceNotFound",
    "ResourceNotFoundException",
}
SERVER_FAULT_STATUS = 500
ENDPOINT_VARIABLES = "AWS_ENDPOINT_URL"  # with the name of a service behind it, or without
LOOPBACK = re.compile(r"https?://(127\.|localhost|\[::1\])")
# "User: ... is not authorized to perform: dynamodb:Scan on resource: arn:... because ..."
DENIED_ACTION = re.compile(r"to perform: (?P<action>[\w-]+:\w+)(?: on resource: (?P<resource>\S+))?")

SDK_ERRORS = (BotoCoreError, ClientError, ResponseParserError)
SIGN_IN = "sign in again (`aws sso login`, or fresh keys), then repeat the command"


def explain(error: Exception) -> str:
    """One sentence, on one line, for one of SDK_ERRORS: what was wrong, and what to do next."""
    if isinstance(error, ResponseParserError):
        return "What answered is not AWS: check what `env` has of AWS_ENDPOINT_URL and HTTPS_PROXY."
    sentence = _of_answer(error) if isinstance(error, ClientError) else _of_client(error)
    return " ".join(sentence.split())


def _of_answer(error: ClientError) -> str:
    """The meaning of a refusal by AWS itself."""
    code = str(error.response.get("Error", {}).get("Code", "no code"))
    for codes, say in _REFUSALS:
        if code in codes:
            return say(error)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if status >= SERVER_FAULT_STATUS:
        return f"AWS could not do {error.operation_name} for now ({code}): wait a minute, then repeat the command."
    return (
        f"AWS refuses {error.operation_name} ({code}: {_message(error)}): correct what it names, then repeat."
    )


def _expired(_: ClientError) -> str:
    return f"The AWS credentials have expired: {SIGN_IN}."


def _unknown_keys(error: ClientError) -> str:
    return (
        f"AWS does not accept the credentials ({_message(error)}): "
        "check with `aws sts get-caller-identity`, choose the account's own with AWS_PROFILE, and check the clock."
    )


def _denied(error: ClientError) -> str:
    found = DENIED_ACTION.search(_message(error))
    action = found["action"] if found else error.operation_name
    resource = f" on {found['resource'].rstrip('.')}" if found and found["resource"] else ""
    return (
        f"These credentials may not do {action}{resource}: "
        "ask whoever runs the account for that right, or choose other credentials with AWS_PROFILE."
    )


def _throttled(error: ClientError) -> str:
    return (
        f"AWS throttles {error.operation_name}, also after retries: wait a minute, then repeat the command."
    )


def _unknown_resource(error: ClientError) -> str:
    return (
        f"AWS does not have what the stack's outputs name ({_message(error)}): deploy the stack again, "
        "or check with `aws sts get-caller-identity` that these credentials belong to its account."
    )


_REFUSALS: tuple[tuple[set[str], Callable[[ClientError], str]], ...] = (
    (EXPIRED, _expired),
    (UNKNOWN_KEYS, _unknown_keys),
    (DENIED, _denied),
    (THROTTLED, _throttled),
    (UNKNOWN_RESOURCE, _unknown_resource),
)


def _message(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Message") or "no reason given").strip().rstrip(".")


def _of_client(error: Exception) -> str:
    """The reason why a request was not sent or not answered."""
    match error:
        case NoCredentialsError() | PartialCredentialsError():
            return (
                f"No complete AWS credentials were found: {SIGN_IN}; without --aws the verbs use the local AWS, "
                "which needs none."
            )
        case SSOError() | LoginError() | TokenRetrievalError() | CredentialRetrievalError():
            return f"The AWS credentials cannot be renewed ({error}): {SIGN_IN}."
        case ProfileNotFound():
            return f"{error}: name one of `aws configure list-profiles` in AWS_PROFILE."
        case NoRegionError():
            return "No AWS region is known: name the stack's own in AWS_REGION."
        case ConnectionError() | ConnectionClosedError() | ReadTimeoutError() | ResponseStreamingError():
            return _unreachable(error)
    return f"The AWS client could not do this ({error}): correct what it names, then repeat the command."


def _unreachable(error: BotoCoreError) -> str:
    if isinstance(error, ReadTimeoutError):
        return f"{_endpoint(error)} did not answer in time: check `outbox status`, then repeat the command."
    if isinstance(error, SSLError):
        return (
            f"The certificate of {_endpoint(error)} is not trusted here: check the clock, and name the certificates "
            "to trust in AWS_CA_BUNDLE."
        )
    if named := _variables_that_name(_endpoint(error)):
        return (
            f"{_endpoint(error)}, which {named} names, does not answer: "
            "start what it stands for, or unset it to reach AWS itself."
        )
    if LOOPBACK.match(_endpoint(error)):
        return (
            f"The local AWS on {_endpoint(error)} does not answer: "
            "start it anew with `outbox local down` and `outbox local up`."
        )
    return f"{_endpoint(error)} cannot be reached: check network and proxy, then repeat the command."


def _endpoint(error: BotoCoreError) -> str:
    return str(error.kwargs.get("endpoint_url") or error.kwargs.get("proxy_url") or "AWS")


def _variables_that_name(endpoint: str) -> str:
    """The environment's settings of an endpoint in the place of AWS's own, if it is theirs.

    https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
    """
    return " and ".join(
        name
        for name, url in sorted(os.environ.items())
        if name.startswith(ENDPOINT_VARIABLES) and url and endpoint.startswith(url)
    )
