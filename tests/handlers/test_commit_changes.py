"""A changed entity, or writes of one's own, and their event: both or neither, and the same answer again."""

import re
from typing import Any

import pytest

from outbox.commit import CommandResult, commit
from outbox.commit_changes import commit_update, commit_writes
from outbox.errors import (
    ConflictingRequest,
    InvalidInputError,
    NotStoredError,
    VersionConflictError,
    WriteRefusedError,
)
from outbox.outgoing import OutgoingEvent
from outbox.wire import to_wire
from tests.handlers.support import PROJECTION_TABLE, SOURCE_TABLE, Clock, Recorder, cancelled, items

CREATED = OutgoingEvent("parcel-created:1", "created")
FAILED = "ConditionalCheckFailed"
WRITE: Any = {"Put": {"TableName": SOURCE_TABLE, "Item": {"PK": {"S": "A"}, "SK": {"S": "B"}}}}


def _parcel(status: str, **others: Any) -> dict[str, Any]:
    return {"PK": "PARCEL#1", "SK": "STATE", "weight": 5, "status": status, **others}


def _create(client: Any, **others: Any) -> CommandResult:
    state = _parcel("OPEN", **({"version": 1} | others))
    return commit(
        client,
        table=SOURCE_TABLE,
        state=state,
        event=CREATED,
        request_fields=["weight"],
        backoff=Clock().backoff(),
    )


def _change(client: Any, status: str, version: int, *, weight: int = 5, **options: Any) -> CommandResult:
    """Give the parcel a status; the request is the status, the version and the weight."""
    return commit_update(
        client,
        table=SOURCE_TABLE,
        state=_parcel(status) | {"weight": weight},
        expected_version=version,
        event=OutgoingEvent(f"parcel-{status}:1", status),
        request={"status": status, "version": version, "weight": weight},
        backoff=Clock().backoff(),
        **{"unchanged": ["weight"], **options},
    )


def _write(client: Any, condition: str = "attribute_not_exists(PK)", **request: Any) -> CommandResult:
    item = {"PK": {"S": "OWN#1"}, "SK": {"S": "STATE"}}
    put: Any = {"TableName": PROJECTION_TABLE, "Item": item, "ConditionExpression": condition}
    put["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return commit_writes(
        client,
        table=SOURCE_TABLE,
        writes=[{"Put": put}],
        event=OutgoingEvent("own:1", "body"),
        request=request,
        backoff=Clock().backoff(),
    )


def test_update_of_the_expected_version_stores_the_next_one_and_its_event(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    _create(dynamodb)

    answer = _change(dynamodb, "SENT", 1)

    stored = items(dynamodb, SOURCE_TABLE)
    assert answer == {"result": "ACCEPTED", "event_id": "parcel-SENT:1"}
    assert (stored["PARCEL#1"]["status"], stored["PARCEL#1"]["version"]) == ("SENT", "2")
    assert stored["OUTBOX#parcel-SENT:1"]["body"] == "SENT"
    assert capsys.readouterr().out.splitlines()[-1] == "ACCEPTED parcel-SENT:1"


def test_a7_update_repeated_after_others_changed_the_entity_is_still_accepted(dynamodb: Any) -> None:
    _create(dynamodb)
    _change(dynamodb, "SENT", 1)
    _change(dynamodb, "DONE", 2)
    before = items(dynamodb, SOURCE_TABLE)

    answers = [_change(dynamodb, "SENT", 1), _change(dynamodb, "DONE", 2), _create(dynamodb)]

    assert {answer["result"] for answer in answers} == {"ALREADY_ACCEPTED"}
    assert items(dynamodb, SOURCE_TABLE) == before


def test_update_of_another_version_names_what_was_expected_and_found(dynamodb: Any) -> None:
    _create(dynamodb)
    _change(dynamodb, "SENT", 1)
    before = items(dynamodb, SOURCE_TABLE)

    with pytest.raises(
        VersionConflictError, match=r"PARCEL#1/STATE was expected at version 1, but is stored at version 2;"
    ):
        _change(dynamodb, "LOST", 1)

    assert items(dynamodb, SOURCE_TABLE) == before


@pytest.mark.parametrize("version", [b"2", "two", None, [b"2"], {"a": {b"2"}}])
def test_update_of_an_entity_with_a_foreign_version_says_what_it_found(dynamodb: Any, version: Any) -> None:
    stored = to_wire({**_parcel("OPEN"), "version": version})
    dynamodb.put_item(TableName=SOURCE_TABLE, Item=stored)

    with pytest.raises(VersionConflictError, match=f"is stored at version {re.escape(str(version))};"):
        _change(dynamodb, "LOST", 1)


@pytest.mark.parametrize("version", [0, 1])
def test_update_of_an_entity_that_is_not_there_stores_nothing(dynamodb: Any, version: int) -> None:
    with pytest.raises(
        VersionConflictError, match=f"expected at version {version}, but is not stored; create it first"
    ):
        _change(dynamodb, "SENT", version, unchanged=[])

    assert items(dynamodb, SOURCE_TABLE) == {}


def test_update_with_another_fixed_attribute_is_refused_by_its_name(dynamodb: Any) -> None:
    _create(dynamodb)

    with pytest.raises(ConflictingRequest, match=r"PARCEL#1/STATE is stored with another weight than"):
        _change(dynamodb, "SENT", 1, weight=6)


def _note(client: Any, note: Any) -> CommandResult:
    """Give the parcel its second version, if it has this note."""
    return commit_update(
        client,
        table=SOURCE_TABLE,
        state=_parcel("SENT", note=note),
        expected_version=1,
        event=OutgoingEvent("parcel-noted:1", "noted"),
        request={"n": 1},
        backoff=Clock().backoff(),
        unchanged=["note"],
    )


_VALUES: tuple[Any, ...] = (None, True, 1, "text", b"bytes", (1, "a"), [], {}, {"a": None}, {1, 2})


@pytest.mark.parametrize(("stored", "note"), [*(({"note": each}, each) for each in _VALUES), ({}, None)])
def test_update_with_a_fixed_attribute_of_any_value_is_stored(
    dynamodb: Any, stored: dict[str, Any], note: Any
) -> None:
    _create(dynamodb, **stored)

    assert [_note(dynamodb, note)["result"] for _ in range(2)] == ["ACCEPTED", "ALREADY_ACCEPTED"]


@pytest.mark.parametrize(("stored", "note"), [({"note": "x"}, None), ({"note": None}, "x"), ({}, "x")])
def test_update_with_a_fixed_attribute_that_is_null_or_missing_on_one_side_is_refused_by_its_name(
    dynamodb: Any, stored: dict[str, Any], note: Any
) -> None:
    _create(dynamodb, **stored)

    with pytest.raises(ConflictingRequest, match=r"PARCEL#1/STATE is stored with another note than"):
        _note(dynamodb, note)


def test_update_with_a_known_event_id_and_another_request_is_refused(dynamodb: Any) -> None:
    _create(dynamodb)
    _change(dynamodb, "SENT", 1)

    with pytest.raises(ConflictingRequest, match="parcel-SENT:1 was accepted before for another request"):
        _change(dynamodb, "SENT", 2)


def test_update_of_an_entity_without_a_version_gives_it_one(dynamodb: Any) -> None:
    _create(dynamodb, version=0)
    dynamodb.update_item(
        TableName=SOURCE_TABLE,
        Key={"PK": {"S": "PARCEL#1"}, "SK": {"S": "STATE"}},
        UpdateExpression="REMOVE version",
    )

    answer = _change(dynamodb, "SENT", 0)

    assert answer["result"] == "ACCEPTED"
    assert items(dynamodb, SOURCE_TABLE)["PARCEL#1"]["version"] == "1"


@pytest.mark.parametrize("version", [-1, True, "1", None, 1.0])
def test_update_with_a_senseless_version_is_refused_before_any_call(version: Any) -> None:
    with pytest.raises(InvalidInputError, match="expected_version must be a whole number from 0"):
        _change(None, "SENT", version)


def test_update_costs_four_units_one_call_and_puts_alone(dynamodb: Any) -> None:
    _create(dynamodb)
    client = Recorder(dynamodb)

    _change(client, "SENT", 1)

    [(operation, request)] = client.calls
    assert (operation, client.write_units) == ("transact_write_items", 4)
    assert {kind for action in request["TransactItems"] for kind in action} == {"Put"}


def test_a10_update_whose_row_the_answer_does_not_show_is_not_accepted(dynamodb: Any) -> None:
    client = Recorder(dynamodb, cancelled(FAILED, FAILED))

    with pytest.raises(NotStoredError, match="the answer does not show"):
        _change(client, "SENT", 1)


def test_own_writes_to_another_table_are_stored_with_their_event_once(dynamodb: Any) -> None:
    answers = [_write(dynamodb, n=1)["result"] for _ in range(2)]

    assert answers == ["ACCEPTED", "ALREADY_ACCEPTED"]
    assert set(items(dynamodb, PROJECTION_TABLE)) == {"OWN#1"}
    assert set(items(dynamodb, SOURCE_TABLE)) == {"OUTBOX#own:1"}


def test_own_write_whose_condition_fails_stores_no_event_and_says_which(dynamodb: Any) -> None:
    dynamodb.put_item(TableName=PROJECTION_TABLE, Item={"PK": {"S": "OWN#1"}, "SK": {"S": "STATE"}})

    with pytest.raises(WriteRefusedError, match="own:1 is not stored: the condition of write 0") as raised:
        _write(dynamodb, n=1)

    assert (raised.value.index, raised.value.item) == (0, {"PK": "OWN#1", "SK": "STATE"})
    assert items(dynamodb, SOURCE_TABLE) == {}


def test_own_writes_under_a_known_event_id_for_another_request_are_refused(dynamodb: Any) -> None:
    _write(dynamodb, n=1)

    with pytest.raises(ConflictingRequest, match="own:1 was accepted before for another request"):
        _write(dynamodb, n=2)


def test_row_that_only_the_digest_makes_too_large_is_refused_before_any_call() -> None:
    event = OutgoingEvent("e-1", "x" * 409_550)

    with pytest.raises(InvalidInputError, match="outbox row would have"):
        commit_writes(
            Recorder(None),  # type: ignore[arg-type] # stands for a client
            table="t",
            writes=[WRITE],
            event=event,
            request={"a": 1},
            backoff=Clock().backoff(),
        )
