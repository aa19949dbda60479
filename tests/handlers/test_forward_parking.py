"""A body that no queue accepts is parked and holds up no other event; other failures are retried."""

import json
from typing import Any

import pytest

from tests.handlers.support import (
    Clock,
    Recorder,
    error,
    inserts,
    outbox_image,
    received,
    relay,
    send_answer,
    stream_record,
)


def test_forward_retries_service_faults_alone_and_parks_sender_faults(
    capsys: pytest.CaptureFixture[str],
) -> None:
    faults = {
        "b1": ("InvalidMessageContents", True),
        "b3": ("InternalError", False),
        "b4": ("InternalError", False),
    }
    client = Recorder(None, lambda request: send_answer(request, **faults), default=send_answer)
    clock = Clock()

    reported = relay(client, "url", inserts("b1", "b2", "b3", "b4"), clock)

    assert reported == []
    assert client.bodies == [["b1", "b2", "b3", "b4"], ["b3", "b4"]]
    assert clock.pauses == [0.025]
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "RELAY_PARKED e-1 SQS refuses it: InvalidMessageContents"
    assert lines[2:] == ["FORWARDED e-2", "FORWARDED e-3", "FORWARDED e-4"]


def test_forward_of_a_refused_call_stops_at_the_event_that_fails_on_its_own() -> None:
    client = Recorder(None, error("BatchRequestTooLong"), send_answer, error("AccessDenied"))

    reported = relay(client, "url", inserts("b1", "b2", "b3"))

    assert reported == ["102"]
    assert client.bodies == [["b1", "b2", "b3"], ["b1"], ["b2"]]


OF_THE_BODY = (
    "InvalidMessageContents",
    "InvalidParameterValue",
    "MessageTooLong",
    "AWS.SimpleQueueService.BatchRequestTooLong",
)
OF_ANYTHING_ELSE = (
    "RequestThrottled",
    "ThrottlingException",
    "KmsDisabled",
    "KMS.AccessDenied",
    "OverLimit",
    "InvalidSecurity",
    "AWS.SimpleQueueService.NonExistentQueue",
    "AWS.SimpleQueueService.UnsupportedOperation",
    "InvalidAddress",
    "Unheard",
)


@pytest.mark.parametrize("code", OF_THE_BODY + OF_ANYTHING_ELSE)
def test_forward_parks_for_the_codes_that_speak_of_the_body_alone(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Recorder(None, default=lambda request: send_answer(request, b1=(code, True)))

    reported = relay(client, "url", inserts("b1", "b2"))

    is_parked = f"RELAY_PARKED e-1 SQS refuses it: {code}" in capsys.readouterr().out
    assert is_parked == (code in OF_THE_BODY)
    assert reported == ([] if is_parked else ["101"])
    assert not is_parked or len(client.calls) == 1


@pytest.mark.parametrize(
    "code",
    ["RequestThrottled", "ThrottlingException", "InternalError", "AWS.SimpleQueueService.RequestThrottled"],
)
def test_forward_after_a_call_that_failed_in_passing_sends_the_same_again_in_the_same_invocation(
    code: str,
) -> None:
    client = Recorder(None, error(code), error(code), default=send_answer)
    clock = Clock()

    reported = relay(client, "url", inserts("b1", "b2"), clock)

    assert reported == []
    assert client.bodies == [["b1", "b2"]] * 3
    assert clock.pauses == [0.025, 0.05]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "the body is missing"),
        ({"M": {"a": {"S": "b"}}}, "the body is of DynamoDB type M, not text"),
        ({"N": "7"}, "the body is of DynamoDB type N, not text"),
        ({"NULL": True}, "the body is of DynamoDB type NULL, not text"),
        ({"S": ""}, "the body is empty"),
        ({"S": "\x07"}, "the body has the character U+0007, which SQS refuses"),
        ({"S": "\uffff"}, "the body has the character U+FFFF, which SQS refuses"),
        ({"S": "\ud800"}, "the body has the character U+D800, which SQS refuses"),
        ({"S": "é" * 600_000}, "the body has 1200000 bytes, SQS accepts 1048576"),
    ],
)
def test_forward_parks_a_body_that_can_never_be_sent_and_sends_the_next(
    sqs: Any, queue_url: str, capsys: pytest.CaptureFixture[str], body: Any, reason: str
) -> None:
    records = [
        stream_record("1", outbox_image("bad", body)),
        stream_record("2", outbox_image("good", {"S": "fine"})),
    ]

    reported = relay(sqs, queue_url, records)

    assert reported == []
    assert received(sqs, queue_url) == ["fine"]
    words, metric, forwarded = capsys.readouterr().out.splitlines()
    assert words == f"RELAY_PARKED bad {reason}"
    assert forwarded == "FORWARDED good"
    embedded = json.loads(metric)
    assert embedded["RelayParked"] == 1
    assert embedded["FunctionName"] == "relay-function"
    assert embedded["_aws"]["CloudWatchMetrics"] == [
        {
            "Namespace": "Outbox",
            "Dimensions": [["FunctionName"]],
            "Metrics": [{"Name": "RelayParked", "Unit": "Count"}],
        }
    ]


def test_forward_parks_a_row_without_event_id_under_its_key(capsys: pytest.CaptureFixture[str]) -> None:
    image = {"PK": {"S": "OUTBOX#odd\nFORWARDED forged"}, "kind": {"S": "OUTBOX"}}

    reported = relay(Recorder(None), "url", [stream_record("1", image)])

    assert reported == []
    assert (
        capsys.readouterr().out.splitlines()[0]
        == r"RELAY_PARKED OUTBOX#odd\nFORWARDED forged the body is missing"
    )


def test_forward_to_a_queue_with_a_lower_limit_parks_only_what_is_too_long(
    sqs: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    url = sqs.create_queue(QueueName="small", Attributes={"MaximumMessageSize": "1024"})["QueueUrl"]
    refuse_call = error("AWS.SimpleQueueService.BatchRequestTooLong")
    client = Recorder(sqs, refuse_call, None, error("InvalidParameterValue"), None)

    reported = relay(client, url, inserts("first", "y" * 2_000, "third"))

    assert reported == []
    assert received(sqs, url) == ["first", "third"]
    assert "RELAY_PARKED e-2 SQS refuses it: InvalidParameterValue" in capsys.readouterr().out


def test_forward_with_a_real_missing_queue_retries_rather_than_parks(sqs: Any) -> None:
    url = sqs.create_queue(QueueName="gone")["QueueUrl"]
    sqs.delete_queue(QueueUrl=url)

    assert relay(sqs, url, inserts("b1")) == ["101"]
