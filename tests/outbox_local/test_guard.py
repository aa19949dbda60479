"""Nobody but its user can call the local AWS: no web page, no other user of the machine, nobody with other keys."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from botocore.credentials import Credentials

from outbox_local.clients import Clients, Endpoint
from tests.outbox_local.conftest import TRUST_POLICY
from tests.outbox_local.requests import CREATE_QUEUE, FROM_A_BROWSER, Answer, address_of, ask, signed

Name = Callable[[str], str]

# Paths that the emulator answers by itself, beside those of AWS's API.
OWN_PATHS = [
    ("GET", "/_local/authorizations"),
    ("GET", "/_ministack/health"),
    ("GET", "/_localstack/health"),
    ("GET", "/health"),
    ("GET", "/_ministack/ready"),
    ("GET", "/_ministack/sqs/messages"),
    ("GET", "/_ministack/lambda-code/some-function"),
    ("POST", "/_ministack/reset"),
    ("POST", "/_ministack/config"),
    ("PUT", "/_ministack/cfn-response/token"),
    ("POST", "/_ministack/eks-auth/clusters/any"),
    ("POST", "/_ministack/rds/iam-auth"),
    ("GET", "/"),
    ("GET", "/2015-03-31/functions"),
    ("GET", "/oauth2/authorize"),
    ("GET", "/any-bucket/any-object"),
    ("POST", "/2015-03-31/functions/any/invocations"),
    ("POST", "/_aws/execute-api/any/any"),
]


def send(endpoint: Endpoint, headers: dict[str, str], body: bytes = CREATE_QUEUE, **line: str) -> Answer:
    return ask(address_of(endpoint), line.get("method", "POST"), line.get("path", "/"), headers, body)


def queues(clients: Clients) -> list[str]:
    return list(clients("sqs").list_queues(QueueNamePrefix="of-an-attacker").get("QueueUrls", []))


def session_of_new_role(clients: Clients, name: str, *actions: str) -> Credentials:
    iam = clients("iam")
    role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST_POLICY)["Role"]["Arn"]
    if actions:
        allowed = {"Effect": "Allow", "Action": list(actions), "Resource": "*"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
        iam.put_role_policy(RoleName=name, PolicyName="rights", PolicyDocument=document)
    keys = clients("sts").assume_role(RoleArn=role, RoleSessionName="session")["Credentials"]
    return Credentials(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"])


def test_signed_request_of_its_user_is_answered_without_a_header_for_browsers(
    clients: Clients, fresh_name: Name
) -> None:
    body = json.dumps({"QueueName": fresh_name("of-its-user")}).encode()

    answer = send(clients.endpoint, signed(clients.endpoint, body), body)

    assert (answer.status, b"QueueUrl" in answer.body) == (200, True)
    assert [name for name in answer.headers if name.lower().startswith("access-control")] == []


@pytest.mark.parametrize("name", FROM_A_BROWSER)
def test_request_of_a_browser_is_refused_even_with_a_right_signature(clients: Clients, name: str) -> None:
    method, headers = FROM_A_BROWSER[name]
    endpoint = clients.endpoint

    answer = send(endpoint, signed(endpoint, method=method) | headers, method=method)

    assert answer.is_refusal, answer
    assert queues(clients) == []


@pytest.mark.parametrize("browser", ["simple request", "preflight", "page whose name was bound anew"])
def test_refusal_comes_before_the_body_is_read(clients: Clients, browser: str) -> None:
    _, headers = FROM_A_BROWSER[browser]

    answer = ask(address_of(clients.endpoint), "POST", "/", headers | {"Content-Length": "1000000000000"})

    assert answer.status == 403


def test_unknown_key_is_refused_before_the_body_is_read(clients: Clients) -> None:
    headers = signed(clients.endpoint, keys=Credentials("LOCALOFANOTHERSTART", "secret"))

    answer = ask(address_of(clients.endpoint), "POST", "/", headers | {"Content-Length": "1000000000000"})

    assert answer.status == 403


@pytest.mark.parametrize(("method", "path"), OWN_PATHS)
def test_path_is_answered_to_nobody_without_a_signature(clients: Clients, method: str, path: str) -> None:
    answer = send(clients.endpoint, {}, b"", method=method, path=path)

    assert answer.is_refusal, answer


@pytest.mark.parametrize(("method", "path"), [line for line in OWN_PATHS if line[1].startswith("/_")])
def test_path_of_the_emulator_alone_is_answered_to_no_role(
    clients: Clients, fresh_name: Name, method: str, path: str
) -> None:
    keys = session_of_new_role(clients, fresh_name("role"), "*")

    answer = send(
        clients.endpoint,
        signed(clients.endpoint, b"", method=method, path=path, keys=keys),
        b"",
        method=method,
        path=path,
    )

    assert answer.status == 403


def wrong_signatures(endpoint: Endpoint) -> dict[str, tuple[dict[str, str], bytes]]:
    """Requests to SQS whose signature does not hold, by what is wrong with it."""
    right = signed(endpoint)
    words = right["Authorization"]
    signature = words[-64:]
    other = Credentials(endpoint.access_key_id, "another-secret")

    def with_words(old: str, new: str) -> tuple[dict[str, str], bytes]:
        assert old in words
        return right | {"Authorization": words.replace(old, new)}, CREATE_QUEUE

    unsigned = {name: value for name, value in right.items() if name != "Authorization"}
    declared = signed(endpoint, extra={"X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"})
    return {
        "no signature": (unsigned, CREATE_QUEUE),
        "the walkthrough's old key": (signed(endpoint, keys=Credentials("test", "test")), CREATE_QUEUE),
        "an account for a key": (signed(endpoint, keys=Credentials("000000000000", "test")), CREATE_QUEUE),
        "no key": with_words(endpoint.access_key_id, ""),
        "another start's secret": (signed(endpoint, keys=other), CREATE_QUEUE),
        "no secret": (signed(endpoint, keys=Credentials(endpoint.access_key_id, "")), CREATE_QUEUE),
        "zeros": with_words(signature, "0" * 64),
        "a few zeros": with_words(signature, "0000"),
        "one digit less": with_words(signature, signature[:-1]),
        "another body": (right, CREATE_QUEUE.replace(b"attacker", b"attacker2")),
        "a body that is not signed": (declared, CREATE_QUEUE),
        "a body that says it is not signed": (
            right | {"X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"},
            CREATE_QUEUE + b" ",
        ),
        "another action": (right | {"X-Amz-Target": "AmazonSQS.DeleteQueue"}, CREATE_QUEUE),
        "another date": (right | {"X-Amz-Date": "20200101T000000Z"}, CREATE_QUEUE),
        "another region": with_words("/eu-central-1/", "/us-east-1/"),
        "another service": with_words("/sqs/", "/iam/"),
        "headers that leave out the host": with_words(";host", ""),
        "no headers": with_words(
            words[words.index("SignedHeaders=") : words.index(", Sig")], "SignedHeaders="
        ),
        "another algorithm": with_words("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"),
        "the older algorithm": (
            unsigned | {"Authorization": f"AWS {endpoint.access_key_id}:0000"},
            CREATE_QUEUE,
        ),
        "a while ago": (signed(endpoint, age=timedelta(minutes=16)), CREATE_QUEUE),
        "in a while": (signed(endpoint, age=timedelta(minutes=-16)), CREATE_QUEUE),
        "two signatures": (right | {"authorization": words}, CREATE_QUEUE),
        "two hosts": (right | {"host": "attacker.example"}, CREATE_QUEUE),
        "no date": ({name: value for name, value in right.items() if name != "X-Amz-Date"}, CREATE_QUEUE),
    }


def test_every_signature_that_does_not_hold_is_refused_and_does_nothing(clients: Clients) -> None:
    requests = wrong_signatures(clients.endpoint)

    answers = {name: send(clients.endpoint, headers, body) for name, (headers, body) in requests.items()}

    assert {name: answer for name, answer in answers.items() if not answer.is_refusal} == {}
    assert queues(clients) == []
    assert len(requests) >= 20


@pytest.mark.parametrize("token", [None, "", "another"])
def test_key_of_a_role_without_its_token_is_refused(
    clients: Clients, fresh_name: Name, token: str | None
) -> None:
    keys = session_of_new_role(clients, fresh_name("role"), "*")
    keys.token = token

    answer = send(clients.endpoint, signed(clients.endpoint, keys=keys))

    assert answer.status == 403
    assert queues(clients) == []


def test_role_that_names_the_operator_in_the_query_has_its_own_rights(
    clients: Clients, fresh_name: Name
) -> None:
    keys = session_of_new_role(clients, fresh_name("role"))
    query = (
        f"X-Amz-Credential={clients.endpoint.access_key_id}%2F20260101%2Feu-central-1%2Fsqs%2Faws4_request"
    )
    headers = signed(clients.endpoint, path=f"/?{query}", keys=keys)

    answer = send(clients.endpoint, headers, path=f"/?{query}")

    assert (answer.status, b"AccessDenied" in answer.body) == (403, True)
    assert queues(clients) == []


def test_signature_in_the_query_is_refused(clients: Clients) -> None:
    url = clients("sqs").generate_presigned_url("list_queues")

    answer = send(clients.endpoint, {}, b"", method="GET", path="/?" + url.partition("?")[2])

    assert answer.status == 403
