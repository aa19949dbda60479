"""Lifetimes of rows and markers: written in epoch seconds, and proof for as long as they are there."""

from typing import Any

import pytest

import orders
from outbox.commit import commit
from outbox.consume import consume
from outbox.errors import SettingError
from outbox.items import MAXIMUM_ITEM_BYTES
from outbox.outgoing import OutgoingEvent
from outbox.rows import INDEX_SHARDS, RowOptions
from outbox.wire import from_wire
from tests.handlers.commands import COMMANDS, send
from tests.handlers.support import (
    PROJECTION_TABLE,
    SOURCE_TABLE,
    Clock,
    Recorder,
    deliver,
    items,
    messages,
    order_body,
)

NOW = 1_800_000_000.75
DAY_SECONDS = 86_400
SECONDS_OF_A_CENTURY = 4_000_000_000  # anything in milliseconds is far beyond


def told(row_expires_at: str) -> list[dict[str, Any]]:
    """A message that tells when its event's row may go."""
    [record] = messages(order_body())
    attribute = {"dataType": "Number", "stringValue": row_expires_at}
    return [record | {"messageAttributes": {"row_expires_at": attribute}}]


def stored_marker(client: Any) -> dict[str, Any]:
    key = {"PK": {"S": "INBOX#order-created:a"}, "SK": {"S": "EVENT"}}
    return from_wire(client.get_item(TableName=PROJECTION_TABLE, Key=key)["Item"])


def consumed(client: Any, now: float, records: list[dict[str, Any]] | None = None) -> Any:
    return consume(
        client,
        table=PROJECTION_TABLE,
        records=records or told(str(int(now))),
        parse=orders.sales().parse,
        backoff=Clock().backoff(),
        marker_lifetime_seconds=20 * DAY_SECONDS,
        now=lambda: now,
    )


def test_marker_with_a_lifetime_says_in_epoch_seconds_when_it_may_go(dynamodb: Any) -> None:
    consumed(dynamodb, NOW)

    marker = stored_marker(dynamodb)
    assert marker["expires_at"] == 1_800_000_000 + 20 * DAY_SECONDS
    assert marker["expires_at"] < SECONDS_OF_A_CENTURY


@pytest.mark.parametrize(
    ("row_end", "counted_from"),
    [(NOW + 9 * DAY_SECONDS, NOW + 9 * DAY_SECONDS), (0, NOW)],
    ids=["later", "past"],
)
def test_markers_lifetime_is_counted_from_the_end_of_its_row_or_from_now_if_that_is_later(
    dynamodb: Any, row_end: float, counted_from: float
) -> None:
    consumed(dynamodb, NOW, told(str(int(row_end))))

    assert stored_marker(dynamodb)["expires_at"] == int(counted_from) + 20 * DAY_SECONDS


@pytest.mark.parametrize("text", ["", "soon", "-1", "1.5", "1" * 12, "\u0661"])
def test_marker_whose_message_tells_no_end_of_its_row_never_ends(dynamodb: Any, text: str) -> None:
    consumed(dynamodb, NOW, told(text) if text else messages(order_body()))

    assert "expires_at" not in stored_marker(dynamodb)


def test_marker_that_has_expired_and_is_still_there_makes_a_duplicate(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    consumed(dynamodb, NOW)

    answer = consumed(dynamodb, NOW + 30 * DAY_SECONDS)

    assert answer == {"batchItemFailures": []}
    assert capsys.readouterr().out.splitlines() == [
        "APPLIED order-created:a",
        "DUPLICATE_IGNORED order-created:a",
    ]


def test_marker_without_a_lifetime_is_the_walkthroughs() -> None:
    event = orders.sales().parse(order_body())

    assert event.marker.item.keys() == {"PK", "SK", "kind", "digest"}


def test_row_with_a_lifetime_says_in_epoch_seconds_when_it_may_go(dynamodb: Any) -> None:
    order = orders.Order("a", 1000)
    options = RowOptions.read({"RECONCILE_INDEX": "1", "OUTBOX_ROW_LIFETIME_SECONDS": "1382400"})
    recorder: Any = Recorder(dynamodb)

    commit(
        recorder,
        table=SOURCE_TABLE,
        state=orders.state_of(order),
        event=options.on(orders.event_of(order), NOW),
        request_fields=orders.REQUEST_FIELDS,
        backoff=Clock().backoff(),
    )

    [(_, request)] = recorder.calls
    state, row = (from_wire(action["Put"]["Item"]) for action in request["TransactItems"])
    assert row["expires_at"] == 1_800_000_000 + 1_382_400
    assert (row["stored_minute"], row["index_shard"] in INDEX_SHARDS) == ("2027-01-15T08:00", True)
    assert "expires_at" not in state


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("is_told_by", ["environment", "argument"])
def test_every_commit_gives_the_row_what_its_component_or_its_caller_says(
    command: str, is_told_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}
    if is_told_by == "environment":
        monkeypatch.setenv("RECONCILE_INDEX", "1")
        monkeypatch.setenv("OUTBOX_ROW_LIFETIME_SECONDS", "1382400")
    else:
        given["row_options"] = RowOptions(is_indexed=True, lifetime_seconds=1_382_400)
    recorder = Recorder(None, default={})

    send(command, recorder, **given)

    [(_, request)] = recorder.calls
    assert {"index_shard", "stored_minute", "expires_at"} < set(request["TransactItems"][-1]["Put"]["Item"])


def test_marker_lifetime_that_is_no_whole_number_fails_the_invocation_before_anything_is_applied(
    dynamodb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INBOX_MARKER_LIFETIME_SECONDS", "a month")

    with pytest.raises(SettingError, match="INBOX_MARKER_LIFETIME_SECONDS is 'a month'"):
        deliver(dynamodb, messages(order_body()))

    assert items(dynamodb, PROJECTION_TABLE) == {}


@pytest.mark.parametrize("seconds", [-60, "5", 1.5, True])
def test_lifetime_in_a_call_that_is_no_whole_number_is_refused_before_anything_is_stored(
    dynamodb: Any, seconds: Any
) -> None:
    sentence = "lifetime_seconds must be a whole number of seconds, or 0 for ever, but is "

    with pytest.raises(ValueError, match=sentence):
        RowOptions(lifetime_seconds=seconds)
    with pytest.raises(ValueError, match=f"marker_{sentence}"):
        deliver(dynamodb, messages(order_body()), marker_lifetime_seconds=seconds)

    assert items(dynamodb, PROJECTION_TABLE) == {}


def test_row_without_options_is_the_walkthroughs() -> None:
    event = orders.event_of(orders.Order("a", 1000))

    assert RowOptions.read({}).on(event, NOW) is event
    assert event.row().keys() == {"PK", "SK", "kind", "event_id", "body"}


def test_rows_of_one_minute_are_spread_over_the_index() -> None:
    options = RowOptions(is_indexed=True)

    shards = {
        options.on(OutgoingEvent(f"e-{number}", "{}"), NOW).extras["index_shard"] for number in range(200)
    }

    assert shards == set(INDEX_SHARDS)


def test_size_of_a_row_counts_what_it_carries_beside_the_event() -> None:
    plain = OutgoingEvent("e", "x" * (MAXIMUM_ITEM_BYTES - 100))
    options = RowOptions(is_indexed=True, lifetime_seconds=DAY_SECONDS)

    with pytest.raises(ValueError, match="its outbox row would have"):
        options.on(plain, NOW)  # its size is looked at when the event is made


@pytest.mark.parametrize("name", ["RECONCILE_INDEX", "OUTBOX_ROW_LIFETIME_SECONDS"])
@pytest.mark.parametrize("text", ["-1", "1.5", "yes", "\u0661"])
def test_option_that_is_no_whole_number_is_refused(name: str, text: str) -> None:
    with pytest.raises(SettingError, match=f"{name} is .*: set it to a whole number of 0 or more"):
        RowOptions.read({name: text})
