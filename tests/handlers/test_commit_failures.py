"""Whatever the SDK raises in a command: the caller gets a sentence of ours, without an endpoint, and the cause."""

import inspect
import re
from collections.abc import Callable, Iterator
from string import Formatter
from typing import Any

import pytest
from botocore import exceptions
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from outbox.commit import CommandResult, commit
from outbox.commit_changes import commit_update, commit_writes
from outbox.errors import CallRefusedError, NotStoredError
from outbox.outgoing import OutgoingEvent
from outbox.wire import to_wire
from tests.handlers.support import SOURCE_TABLE, Clock, Recorder, cancelled, error

ENDPOINT = "https://dynamodb.example.com/"
EVENT = OutgoingEvent("e-1", "body")
STATE = {"PK": "THING#1", "SK": "STATE", "size": 5}
WRITE: Any = {"Put": {"TableName": SOURCE_TABLE, "Item": {"PK": {"S": "OWN#1"}, "SK": {"S": "STATE"}}}}

CLASSES_LEAST = 90  # 97 of botocore 1.43

Command = Callable[[Any], CommandResult]


def _commit(client: Any) -> CommandResult:
    return commit(
        client,
        table=SOURCE_TABLE,
        state=STATE,
        event=EVENT,
        request_fields=["size"],
        backoff=Clock().backoff(),
    )


def _update(client: Any) -> CommandResult:
    return commit_update(
        client,
        table=SOURCE_TABLE,
        state=STATE,
        expected_version=1,
        event=EVENT,
        request={"size": 5},
        backoff=Clock().backoff(),
    )


def _write(client: Any) -> CommandResult:
    return commit_writes(
        client,
        table=SOURCE_TABLE,
        writes=[WRITE],
        event=EVENT,
        request={"size": 5},
        backoff=Clock().backoff(),
    )


def _errors_of_the_sdk() -> Iterator[Exception]:
    """One of every class of errors that botocore has for a call, with an endpoint in every place of its text."""
    for each in vars(exceptions).values():
        if inspect.isclass(each) and issubclass(each, ClientError):
            yield each({"Error": {"Code": "ExpiredTokenException", "Message": ENDPOINT}}, ENDPOINT)
        elif inspect.isclass(each) and issubclass(each, BotoCoreError):
            names = {*inspect.signature(each).parameters} - {"kwargs"}
            names |= {name for _, name, _, _ in Formatter().parse(each.fmt) if name}
            yield each(**dict.fromkeys(names, ENDPOINT))


@pytest.mark.parametrize("command", [_commit, _update, _write])
def test_command_tells_every_error_of_the_sdk_in_a_sentence_without_an_endpoint(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    raised = list(_errors_of_the_sdk())
    told: list[NotStoredError] = []

    for each in raised:
        with pytest.raises(NotStoredError) as caught:
            command(Recorder(None, each))
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
        _commit(client)

    assert _commit(client)["result"] == "ALREADY_ACCEPTED"


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceNotFoundException"])
def test_command_that_dynamodb_refuses_names_the_code_and_what_to_do(code: str) -> None:
    with pytest.raises(
        CallRefusedError,
        match=rf"^Event e-1 is refused by DynamoDB \({code}\)\. Correct the cause, then send",
    ):
        _commit(Recorder(None, error(code)))


def test_command_met_by_a_5xx_that_no_service_wrote_is_tried_again(dynamodb: Any) -> None:
    answer = _commit(Recorder(dynamodb, error("502"), error("503")))

    assert answer["result"] == "ACCEPTED"


def test_command_without_time_for_its_call_names_the_event_and_says_to_send_the_request_again() -> None:
    client: Any = Recorder(None)

    with pytest.raises(NotStoredError) as told:
        commit(
            client,
            table=SOURCE_TABLE,
            state=STATE,
            event=EVENT,
            request_fields=["size"],
            backoff=Clock(1.0).backoff(),
        )

    assert client.calls == []
    assert re.match(
        r"Event e-1 may or may not be stored \(.*time.*\)\. Send the same request again\.", str(told.value)
    )


def test_command_with_a_write_that_the_clients_own_check_refuses_is_told_to_correct_it(dynamodb: Any) -> None:
    malformed: Any = {"Put": {"TableName": SOURCE_TABLE, "Item": {"PK": "no type"}}}

    with pytest.raises(CallRefusedError, match=r"\(ParamValidationError\)\. Correct the cause, then send"):
        commit_writes(
            dynamodb,
            table=SOURCE_TABLE,
            writes=[malformed],
            event=EVENT,
            request={"size": 5},
            backoff=Clock().backoff(),
        )


def test_command_cancelled_for_a_reason_without_a_code_leaves_open_what_is_stored() -> None:
    row = {"Code": "ConditionalCheckFailed", "Item": to_wire(EVENT.row())}

    with pytest.raises(NotStoredError, match="may or may not be stored"):
        _commit(Recorder(None, cancelled({}, row)))
