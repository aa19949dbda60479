"""Errors of the SDK in a command: the caller gets a sentence of ours, without an endpoint, and the cause."""

import inspect
import re
from collections.abc import Iterator
from string import Formatter
from typing import Any

import pytest
from botocore import exceptions
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from outbox.errors import CallRefusedError, NotStoredError
from outbox.wire import to_wire
from tests.handlers.commands import COMMANDS, EVENT, send
from tests.handlers.support import SOURCE_TABLE, Clock, Recorder, cancelled, error

ENDPOINT = "https://dynamodb.example.com/"
CLASSES_LEAST = 90  # 97 of botocore 1.43


@pytest.fixture
def dynamodb(moto_dynamodb: Any) -> Any:
    return moto_dynamodb


def _errors_of_the_sdk() -> Iterator[Exception]:
    """One of every class of errors that botocore has for a call, with an endpoint in every place of its text."""
    for each in vars(exceptions).values():
        if inspect.isclass(each) and issubclass(each, ClientError):
            yield each({"Error": {"Code": "ExpiredTokenException", "Message": ENDPOINT}}, ENDPOINT)
        elif inspect.isclass(each) and issubclass(each, BotoCoreError):
            names = {*inspect.signature(each).parameters} - {"kwargs"}
            names |= {name for _, name, _, _ in Formatter().parse(each.fmt) if name}
            yield each(**dict.fromkeys(names, ENDPOINT))


@pytest.mark.parametrize("command", COMMANDS)
def test_command_tells_every_error_of_the_sdk_in_a_sentence_without_an_endpoint(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    raised = list(_errors_of_the_sdk())
    told: list[NotStoredError] = []

    for each in raised:
        with pytest.raises(NotStoredError) as caught:
            send(command, Recorder(None, each))
        told.append(caught.value)

    assert [each.__cause__ for each in told] == raised
    assert not [str(each) for each in told if "://" in str(each)]
    assert {type(each) for each in told} == {NotStoredError, CallRefusedError}
    assert capsys.readouterr().out.count("NOT_STORED e-1 ") == len(raised)
    assert len(raised) >= CLASSES_LEAST


def test_command_whose_answer_was_lost_says_so_and_its_repetition_is_accepted_already(dynamodb: Any) -> None:
    def store_then_lose(request: Any) -> None:
        dynamodb.transact_write_items(**request)
        raise ReadTimeoutError(endpoint_url=ENDPOINT)

    client = Recorder(dynamodb, store_then_lose)

    with pytest.raises(
        NotStoredError,
        match=r"^Event e-1 may or may not be stored \(ReadTimeoutError\)\. Send the same request again\.$",
    ):
        send("commit", client)

    assert send("commit", client)["result"] == "ALREADY_ACCEPTED"


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceNotFoundException"])
def test_command_that_dynamodb_refuses_names_the_code_and_what_to_do(code: str) -> None:
    with pytest.raises(
        CallRefusedError,
        match=rf"^Event e-1 is refused by DynamoDB \({code}\)\. Correct the cause, then send",
    ):
        send("commit", Recorder(None, error(code)))


def test_command_met_by_a_5xx_that_no_service_wrote_is_tried_again(dynamodb: Any) -> None:
    answer = send("commit", Recorder(dynamodb, error("502"), error("503")))

    assert answer["result"] == "ACCEPTED"


def test_command_without_time_for_its_call_names_the_event_and_says_to_send_the_request_again() -> None:
    client: Any = Recorder(None)

    with pytest.raises(NotStoredError) as told:
        send("commit", client, Clock(1.0))

    assert client.calls == []
    assert re.match(
        r"Event e-1 may or may not be stored \(.*time.*\)\. Send the same request again\.", str(told.value)
    )


def test_command_with_a_write_that_the_clients_own_check_refuses_is_told_to_correct_it(dynamodb: Any) -> None:
    malformed: Any = {"Put": {"TableName": SOURCE_TABLE, "Item": {"PK": "no type"}}}

    with pytest.raises(CallRefusedError, match=r"\(ParamValidationError\)\. Correct the cause, then send"):
        send("commit_writes", dynamodb, writes=[malformed])


def test_command_cancelled_for_a_reason_without_a_code_leaves_open_what_is_stored() -> None:
    row = {"Code": "ConditionalCheckFailed", "Item": to_wire(EVENT.row())}

    with pytest.raises(NotStoredError, match="may or may not be stored"):
        send("commit", Recorder(None, cancelled({}, row)))
