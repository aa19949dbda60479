"""Whose a request is: signatures verified by botocore's own signer, for the operator's keys and those of roles."""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from botocore.auth import SigV4Auth
from botocore.credentials import Credentials
from ministack.core import iam_evaluator
from ministack.core.responses import _account_from_sts_session

OPERATORS_PATHS = ("/_", "/health")  # the emulator's own, which no policy is asked about
AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/, ]+)/(\d{8})/([^/, ]+)/([^/, ]+)/aws4_request, ?"
    r"SignedHeaders=([^=, ]+), ?Signature=([0-9a-f]{64})"
)
DATE = re.compile(r"\d{8}T\d{6}Z")
LONGEST_SKEW = timedelta(minutes=15)


class RefusedError(Exception):
    """Raised when a request is not its user's; the code is the one that AWS would answer."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Claim:
    """Whose request it says it is, and the signature that shall prove it."""

    keys: Credentials
    timestamp: str
    region: str
    service: str
    signed_headers: Mapping[str, str]
    signature: str


def claimed(scope: Any, headers: Mapping[str, str]) -> Claim:
    """The claim of the headers, of a key that is known here and in time.

    Raises:
        RefusedError: There is no such claim, or a role's on what is only the operator's.
    """
    parts = AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if not parts:
        raise RefusedError(
            "MissingAuthenticationToken", "The request must be signed in its Authorization header."
        )
    key, day, region, service, signed, signature = parts.groups()
    names = signed.split(";")
    unsigned = [name for name in headers if name.startswith("x-amz-") and name not in names]
    timestamp = headers.get("x-amz-date", "")
    if unsigned or "host" not in names or not {*names} <= headers.keys() or not timestamp.startswith(day):
        raise RefusedError("IncompleteSignature", "Host, X-Amz-Date and every X-Amz header must be signed.")
    _refuse_another_time(timestamp)
    token = headers.get("x-amz-security-token")
    account = _account_from_sts_session(key) or iam_evaluator.find_iam_access_key_account(key)
    known = iam_evaluator.resolve_credential(key, account, token)
    if isinstance(known, iam_evaluator.CredentialResolutionError):
        raise RefusedError(known.code, known.message)
    if scope["path"].startswith(OPERATORS_PATHS) and known.principal_type != "Root":
        raise RefusedError("AccessDeniedException", "This path is for the operator's keys alone.")
    keys = Credentials(key, known.secret_access_key)
    return Claim(keys, timestamp, region, service, {name: headers[name] for name in names}, signature)


def verify(claim: Claim, scope: Any, body: bytes) -> None:
    """Computes the signature anew, as the client must have done.

    Raises:
        RefusedError: It is another one: of another secret, or of another request.
    """
    url = f"http://{claim.signed_headers['host']}{scope['raw_path'].decode('latin-1')}"
    if scope["query_string"]:
        url += f"?{scope['query_string'].decode('latin-1')}"
    # What the signer reads of a request; among lower-case names it finds no declared digest and takes the body's.
    request: Any = SimpleNamespace(
        method=scope["method"],
        url=url,
        params=None,
        headers=claim.signed_headers,
        body=body,
        context={"timestamp": claim.timestamp},
    )
    signer = SigV4Auth(claim.keys, claim.service, claim.region)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    if not hmac.compare_digest(signer.signature(text, request), claim.signature):
        raise RefusedError(
            "SignatureDoesNotMatch",
            "The signature is not that of this request with the keys of this start of the local AWS.",
        )


def _refuse_another_time(timestamp: str) -> None:
    try:
        signed_at = datetime.fromisoformat(timestamp if DATE.fullmatch(timestamp) else "")
    except ValueError as error:
        raise RefusedError(
            "IncompleteSignature", "X-Amz-Date must be a date such as 20260131T235959Z."
        ) from error
    if abs(datetime.now(UTC) - signed_at) > LONGEST_SKEW:
        raise RefusedError("RequestTimeTooSkewed", f"X-Amz-Date must be within {LONGEST_SKEW} of now.")
