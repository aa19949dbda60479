"""Stored events reach every queue, in order."""

import itertools
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from outbox.errors import InvalidInputError
from outbox.forward import forward
from outbox.retry import RESERVE_SECONDS
from outbox.sending import MAXIMUM_ENTRIES
from tests.handlers.support import (
    Clock,
    Recorder,
    inserts,
    outbox_image,
    received,
    relay,
    send_answer,
    stream_record,
    using_time_up,
)

FAILING = EndpointConnectionError(endpoint_url="stub")


def test_forward_single_insert_sends_the_stored_body_unchanged(
    sqs: Any, queue_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    body = '{ "spacing" : "kept", "é": 1}'

    reported = relay(sqs, queue_url, inserts(body))

    assert reported == []
    assert received(sqs, queue_url) == [body]
    assert capsys.readouterr().out == "FORWARDED e-1\n"


def test_forward_many_inserts_sends_ten_in_a_call_in_stream_order() -> None:
    bodies = [f"body {number}" for number in range(123)]
    client = Recorder(None, default=send_answer)

    reported = relay(client, "url", inserts(*bodies))

    assert reported == []
    assert client.bodies == [bodies[start : start + 10] for start in range(0, 123, 10)]


def test_forward_large_bodies_stay_below_one_mebibyte_a_call() -> None:
    bodies = ["é" * 200_000, "x" * 400_000, "y" * 248_576, "z" * 400_001, "w" * 648_575]
    client = Recorder(None, default=send_answer)

    relay(client, "url", inserts(*bodies))

    assert client.bodies == [bodies[:3], bodies[3:]]
    assert [sum(len(b.encode()) for b in call) for call in client.bodies] == [1_048_576, 1_048_576]


def test_b1_forward_with_second_call_failing_stops_and_resumes_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bodies = [letter * 600_000 for letter in "1234"]  # each fills a call of its own
    records = inserts(*bodies)
    client = Recorder(None, send_answer, FAILING, default=send_answer)

    first = relay(client, "url", records)
    second = relay(client, "url", records[1:])

    assert first == ["102"]
    assert second == []
    assert [body[0] for [body] in client.bodies] == ["1", "2", "2", "3", "4"]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["FORWARDED", "e-1"],
        ["RELAY_RETRY", "EndpointConnectionError"],
        ["FORWARDED", "e-2"],
        ["FORWARDED", "e-3"],
        ["FORWARDED", "e-4"],
    ]


def test_b1_forward_of_hundred_with_one_call_failing_sends_no_later_call() -> None:
    bodies = [f"{number:03}" for number in range(100)]
    records = inserts(*bodies)
    client = Recorder(None, send_answer, FAILING, default=send_answer)

    first = relay(client, "url", records)
    second = relay(client, "url", records[10:])

    assert first == ["111"]
    assert second == []
    assert [body for call in client.bodies for body in call] == bodies[:20] + bodies[10:]


def test_b1_forward_with_entry_failing_throughout_reports_it_and_sends_no_later_call() -> None:
    bodies = [f"b{number}" for number in range(1, 13)]
    client = Recorder(None, default=lambda request: send_answer(request, b2=("InternalError", False)))

    reported = relay(client, "url", inserts(*bodies))

    assert reported == ["102"]
    assert client.bodies[0] == bodies[:10]
    assert set(map(tuple, client.bodies[1:])) == {("b2",)}


def test_d5_forward_takes_an_entry_without_an_answer_as_not_sent() -> None:
    client = Recorder(None, default={"Successful": [{"Id": "0"}]})

    reported = relay(client, "url", inserts("b1", "b2"), Clock(remaining=RESERVE_SECONDS))

    assert reported == ["102"]


def test_b8_forward_of_every_kind_of_change_sends_only_the_inserted_event(
    sqs: Any, queue_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    order = {"PK": {"S": "ORDER#a"}, "SK": {"S": "STATE"}, "kind": {"S": "ORDER"}}
    expiry = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
    records = [
        stream_record("1", outbox_image("modified"), "MODIFY"),
        stream_record("2", None, "REMOVE"),
        stream_record("3", None, "REMOVE", userIdentity=expiry),
        stream_record("4", order),
        stream_record("5", outbox_image("inserted", {"S": "the one"})),
    ]

    reported = relay(sqs, queue_url, records)

    assert reported == []
    assert received(sqs, queue_url) == ["the one"]
    assert capsys.readouterr().out == "FORWARDED inserted\n"


def test_forward_with_time_used_up_makes_the_first_call_and_reports_the_next() -> None:
    bodies = [f"b{number}" for number in range(25)]
    clock = Clock()
    client = Recorder(None, default=using_time_up(clock, send_answer))

    reported = relay(client, "url", inserts(*bodies), clock)

    assert reported == ["111"]
    assert client.bodies == [bodies[:10]]


def test_forward_to_several_queues_gives_every_queue_every_event(sqs: Any) -> None:
    urls = [sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("first", "second")]

    reported = relay(sqs, urls, inserts("b1", "b2"))

    assert reported == []
    assert [received(sqs, url) for url in urls] == [["b1", "b2"], ["b1", "b2"]]


def test_forward_to_several_queues_counts_an_event_only_when_all_accepted_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def first_queue_fails_b2(request: Mapping[str, Any]) -> dict[str, Any]:
        return send_answer(
            request, **({"b2": ("InternalError", False)} if request["QueueUrl"] == "one" else {})
        )

    client = Recorder(None, default=first_queue_fails_b2)

    reported = relay(client, ["one", "two"], inserts("b1", "b2", "b3"), Clock(remaining=RESERVE_SECONDS))

    assert reported == ["102"]
    assert [(request["QueueUrl"], len(request["Entries"])) for _, request in client.calls] == [
        ("one", 3),
        ("two", 1),
    ]
    assert capsys.readouterr().out.splitlines() == [
        "FORWARDED e-1",
        "RELAY_RETRY NotSentError e-2 InternalError",
    ]


def test_forward_in_parallel_lanes_of_a_shard_lets_no_event_overtake_its_call() -> None:
    lanes = [[f"{lane}/{number}" for number in range(40)] for lane in range(10)]
    accepted: list[str] = []

    def run_lane(bodies: list[str]) -> None:
        failing_once = set(bodies[::7])

        def answer(request: Mapping[str, Any]) -> dict[str, Any]:
            sent = {entry["MessageBody"] for entry in request["Entries"]}
            failed = sent & failing_once
            failing_once.difference_update(failed)
            accepted.extend(e["MessageBody"] for e in request["Entries"] if e["MessageBody"] not in failed)
            return send_answer(request, **dict.fromkeys(failed, ("InternalError", False)))

        records = inserts(*bodies)
        while reported := relay(
            Recorder(None, default=answer), "url", records, Clock(remaining=RESERVE_SECONDS)
        ):
            numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
            records = records[numbers.index(reported[0]) :]

    with ThreadPoolExecutor(len(lanes)) as pool:
        list(pool.map(run_lane, lanes))

    for bodies in lanes:
        first_seen = [body for body in dict.fromkeys(accepted) if body in set(bodies)]
        places = [bodies.index(body) for body in first_seen]
        assert sorted(places) == list(range(40))
        assert all(
            front - place < MAXIMUM_ENTRIES for front, place in zip(_maxima(places), places, strict=True)
        )


def _maxima(numbers: list[int]) -> list[int]:
    """The largest number so far, at each place."""
    return list(itertools.accumulate(numbers, max))


def test_c1_forward_of_nothing_answers_an_empty_list() -> None:
    assert relay(Recorder(None), "url", []) == []


def test_c1_forward_of_a_record_without_sequence_number_fails_before_sending() -> None:
    client = Recorder(None, default=send_answer)
    records = [*inserts("b1"), {"eventName": "INSERT", "dynamodb": {"NewImage": outbox_image()}}]

    with pytest.raises(InvalidInputError, match="SequenceNumber of a record must be text"):
        relay(client, "url", records)

    assert client.calls == []


@pytest.mark.parametrize("queue_urls", [[], "https://queue", iter(["https://queue"])])
def test_forward_to_what_is_no_list_of_queues_is_refused(queue_urls: Any) -> None:
    client: Any = Recorder(None)

    with pytest.raises(ValueError, match="queue_urls must be a list of one URL or more, but is"):
        forward(
            client,
            queue_urls=queue_urls,
            records=inserts("b1"),
            backoff=Clock().backoff(),
            function_name="relay-function",
        )

    assert client.calls == []


def test_forward_with_unplanned_error_reports_the_record_and_shows_the_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    reported = relay(Recorder(None, ZeroDivisionError("bug")), "url", inserts("b1"))

    assert reported == ["101"]
    captured = capsys.readouterr()
    assert captured.out == "RELAY_RETRY ZeroDivisionError e-1 bug\n"
    assert "Traceback" in captured.err


_FAULT = {"Id": "1", "Code": "InternalError", "SenderFault": False}


@pytest.mark.parametrize(
    "said_of_the_second",
    [
        {},
        {"Failed": [{"Id": "1"}]},
        {"Failed": [{"Id": "1", "Code": "InvalidMessageContents"}]},
        {"Failed": [{"Id": "1", "SenderFault": True}]},
        {"Failed": [{}]},
        {"Failed": [{"Id": "7", "Code": "InvalidMessageContents", "SenderFault": True}]},
        {"Successful": [{}]},
        {"Successful": [{"Id": "7"}]},
        {"Failed": [_FAULT], "Successful": [{"Id": "1"}]},
        {"Failed": [_FAULT, _FAULT], "Successful": [{"Id": "1"}, {"Id": "1"}]},
    ],
)
def test_forward_takes_an_entry_with_an_unclear_answer_as_not_sent_and_the_others_as_they_are(
    said_of_the_second: dict[str, list[Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    successful = [{"Id": "0"}, {"Id": "2"}, *said_of_the_second.get("Successful", [])]
    client = Recorder(None, {**said_of_the_second, "Successful": successful})

    reported = relay(client, "url", inserts("b1", "b2", "b3"), Clock(remaining=RESERVE_SECONDS))

    assert reported == ["102"]
    assert "FORWARDED e-1" in capsys.readouterr().out.splitlines()
