"""What an operator reads when AWS refuses or does not answer: one sentence, the next step, exit code 1."""

import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import boto3
import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    ProfileNotFound,
    ProxyConnectionError,
    ReadTimeoutError,
    SSLError,
    UnauthorizedSSOTokenError,
    WaiterError,
)
from botocore.parsers import ResponseParserError

from outbox_cli import main as command_line
from outbox_cli.aws_errors import explain
from tests.outbox_cli.verbs import Verb, files_of_examples, outputs_file, run_verb, verbs_on_a_stack

# A document is made of the stack's outputs and the program alone.
VERBS_THAT_CALL_AWS = [verb for verb in verbs_on_a_stack() if verb.words[0] != "permissions"]

CLASSES_LEAST = 130
URL = "https://dynamodb.eu-central-1.amazonaws.com/"
MAY_NOT_SCAN = (
    "User: arn:aws:iam::000000000000:user/o is not authorized to perform: dynamodb:Scan on resource: "
    "arn:aws:dynamodb:eu-central-1:000000000000:table/t because no identity-based policy allows the action"
)


def refusal(code: str, message: str = "", status: int = 400) -> ClientError:
    answer: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(answer, "Scan")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (refusal("ExpiredTokenException", "expired"), "credentials have expired: sign in again"),
        (refusal("ExpiredToken"), "credentials have expired: sign in again"),
        (refusal("UnrecognizedClientException", "Bad token."), r"not accept the credentials \(Bad token\)"),
        (refusal("InvalidClientTokenId"), r"\(no reason given\): check with `aws sts get-caller-identity`"),
        (
            refusal("AccessDeniedException", MAY_NOT_SCAN),
            r"may not do dynamodb:Scan on arn:aws:.*:table/t: ask",
        ),
        (refusal("AccessDenied", "Access to the resource is denied."), "may not do Scan: ask"),
        (refusal("ThrottlingException"), "throttles Scan, also after retries: wait a minute"),
        (refusal("ProvisionedThroughputExceededException"), "throttles Scan"),
        (
            refusal("ResourceNotFoundException", "Function not found: f"),
            r"outputs name \(Function not found: f\): deploy the stack again, or check",
        ),
        (refusal("AWS.SimpleQueueService.NonExistentQueue"), "deploy the stack again"),
        (refusal("InternalFailure", status=500), r"could not do Scan for now \(InternalFailure\): wait"),
        (refusal("InvalidParameterValue", "Too\nlong."), r"refuses Scan \(InvalidParameterValue: Too long\)"),
        (NoCredentialsError(), "No complete AWS credentials were found: sign in"),
        (PartialCredentialsError(provider="env", cred_var="aws_secret_access_key"), "No complete AWS cred"),
        (UnauthorizedSSOTokenError(), "cannot be renewed .*sign in again"),
        (CredentialRetrievalError(provider="custom-process", error_msg="boom"), "cannot be renewed .*boom"),
        (ProfileNotFound(profile="old"), r"profile \(old\) could not be found: name one of"),
        (NoRegionError(), "No AWS region is known: name the stack's own in AWS_REGION"),
        (EndpointConnectionError(endpoint_url=URL), f"{URL} cannot be reached: check network and proxy"),
        (ConnectTimeoutError(endpoint_url=URL), f"{URL} cannot be reached"),
        (ProxyConnectionError(proxy_url="http://proxy:1"), "http://proxy:1 cannot be reached"),
        (ReadTimeoutError(endpoint_url=URL), f"{URL} did not answer in time: check `outbox status`"),
        (
            EndpointConnectionError(endpoint_url="http://127.0.0.1:4566/"),
            r"local AWS on .* does not answer: start it anew with `outbox local down`",
        ),
        (
            SSLError(endpoint_url=URL, error=ValueError("x")),
            r"certificate of .* is not trusted here: check the clock",
        ),
        (ResponseParserError("<html>"), "What answered is not AWS: check what `env` has"),
        (HTTPClientError(error=KeyError("x")), r"could not do this \(.*\): correct"),
        (ParamValidationError(report="Too\nshort"), r"could not do this \(.*Too short\): correct"),
    ],
)
def test_error_of_aws_is_one_sentence_with_the_next_step(
    error: BotoCoreError | ClientError, sentence: str
) -> None:
    said = explain(error)

    assert re.search(sentence, said)
    assert "\n" not in said
    assert said.endswith(".")


def every_error() -> Iterator[Exception]:
    """One of each class that Python and the SDK raise, where it can be made."""
    for kind in set(classes_under(Exception)):
        fields = {name: "x" for _, name, _, _ in Formatter().parse(getattr(kind, "fmt", "")) if name}
        if kind is WaiterError:
            yield kind("x", "x", {})
        elif kind.__module__ == BotoCoreError.__module__ and issubclass(kind, BotoCoreError):
            yield kind(**fields | {"endpoint_url": URL, "proxy_url": URL, "error": ValueError("x")})
        elif kind.__module__ == "builtins":
            with contextlib.suppress(TypeError):
                yield kind("x")


def classes_under(kind: type[Exception]) -> Iterator[type[Exception]]:
    for each in kind.__subclasses__():
        yield from (each, *classes_under(each))


def test_error_blames_network_and_proxy_only_where_no_connection_was_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blaming: dict[str, str] = {}
    seen = 0
    for error in every_error():

        def fails(error: Exception = error, **_: object) -> None:
            raise error

        monkeypatch.setattr(command_line, "app", fails)
        code = run_verb(monkeypatch)
        said = capsys.readouterr().err
        seen += 1
        assert (code, said.count("\n")) == (1, 1)
        assert isinstance(error, BotoCoreError) or f"({type(error).__name__}: " in said
        assert isinstance(error, BotoCoreError) or f"{command_line.TRACEBACK_VARIABLE}=1" in said
        if "proxy" in said.lower().replace(type(error).__name__.lower(), ""):
            blaming[type(error).__name__] = said

    assert blaming.keys() == {
        *("ConnectTimeoutError", "ConnectionClosedError", "EndpointConnectionError", "ProxyConnectionError"),
        *("ConnectionError", "ResponseStreamingError"),
    }
    with capsys.disabled():
        sys.stdout.write(f" [{seen} classes of errors]")
    assert seen >= CLASSES_LEAST


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"])
def test_endpoint_that_a_variable_names_is_not_taken_for_the_local_aws(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")

    said = explain(EndpointConnectionError(endpoint_url="http://127.0.0.1:9/"))

    assert said == (
        f"http://127.0.0.1:9/, which {variable} names, does not answer: "
        "start what it stands for, or unset it to reach AWS itself."
    )


class Failing:
    """A client of AWS whose every call ends in the same error."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, _: str) -> Callable[..., Any]:
        def fail(*_: Any, **__: Any) -> Any:
            raise self._error

        return fail


@pytest.mark.parametrize(
    "error",
    [
        refusal("ResourceNotFoundException", "Requested resource not found"),
        refusal("ExpiredTokenException", "The security token included in the request is expired"),
        refusal("AccessDeniedException", MAY_NOT_SCAN),
        refusal("ThrottlingException", "Rate exceeded"),
        EndpointConnectionError(endpoint_url=URL),
    ],
    ids=["wrong-stack", "expired-credentials", "missing-permission", "throttling", "no-network"],
)
@pytest.mark.parametrize("verb", VERBS_THAT_CALL_AWS, ids=str)
def test_verb_that_aws_does_not_serve_says_one_sentence_and_exits_1(
    verb: Verb,
    error: BotoCoreError | ClientError,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(boto3.Session, "client", lambda *_, **__: Failing(error))
    monkeypatch.chdir(tmp_path)
    files_of_examples(tmp_path)

    code = run_verb(monkeypatch, *verb.example, "--aws", outputs_file(tmp_path), "--json")

    said = capsys.readouterr()
    assert (code, said.out, said.err) == (1, "", f"{explain(error)}\n")
