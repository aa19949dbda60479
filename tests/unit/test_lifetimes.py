"""Lifetimes of rows and markers: in seconds, off by default, and refused where an event could be lost or doubled."""

import pytest

from components import tables
from components.lifetimes import (
    RECOVERY_HORIZON_SECONDS,
    require_index_for_reconciler,
    require_marker_lifetime,
    require_row_lifetime,
)
from components.limits import DAY_SECONDS
from components.validation import InvalidSettingError
from outbox import headers, items, rows
from tests.unit.aws_mocks import FUNCTION, TABLE
from tests.unit.builders import run_source
from tests.unit.root_program import run_root

ROWS = RECOVERY_HORIZON_SECONDS
MARKERS_LEAST = (1 + 14 + 1) * DAY_SECONDS


def markers(seconds: int) -> None:
    require_marker_lifetime(
        seconds,
        queue_seconds=1 * DAY_SECONDS,
        dead_letter_seconds=14 * DAY_SECONDS,
    )


def test_lifetimes_that_outlast_every_delivery_are_accepted() -> None:
    for seconds in (0, ROWS, 2 * 365 * DAY_SECONDS):
        require_row_lifetime(seconds)
    for seconds in (0, MARKERS_LEAST):
        markers(seconds)


@pytest.mark.parametrize("seconds", [1, 14 * DAY_SECONDS, ROWS - 1])
def test_rows_that_go_before_they_can_be_recovered_are_refused(seconds: int) -> None:
    with pytest.raises(
        InvalidSettingError, match=rf"must be 0 \(for ever\) or at least 1382400, but is {seconds}"
    ):
        require_row_lifetime(seconds)


@pytest.mark.parametrize("seconds", [1 * DAY_SECONDS, MARKERS_LEAST - 1])
def test_markers_that_expire_before_a_possible_delivery_are_refused(seconds: int) -> None:
    with pytest.raises(InvalidSettingError, match=f"must be {MARKERS_LEAST} or more, but is {seconds}"):
        markers(seconds)


def test_tables_with_lifetimes_expire_by_the_attribute_that_the_handlers_write() -> None:
    recording = run_root(
        "dev", changes={"outboxRowLifetimeSeconds": str(ROWS), "inboxMarkerLifetimeSeconds": "2764800"}
    )

    ttl = {"attributeName": "expires_at", "enabled": True}
    assert [table.inputs["ttl"] for table in recording.of_type(TABLE)] == [ttl, ttl]
    variables = {item.name: item.inputs["environment"]["variables"] for item in recording.of_type(FUNCTION)}
    assert variables["orders-command-function"]["OUTBOX_ROW_LIFETIME_SECONDS"] == "1382400"
    assert variables["sales-consumer-function"]["INBOX_MARKER_LIFETIME_SECONDS"] == "2764800"


def test_names_in_the_tables_are_those_that_the_handlers_write() -> None:
    written = (tables.EXPIRES_AT, tables.HEADERS, tables.INDEX_SHARD, tables.STORED_MINUTE)
    assert written == (items.EXPIRES_AT, headers.HEADERS, rows.INDEX_SHARD, rows.STORED_MINUTE)


def test_source_without_the_index_has_no_trace_of_it() -> None:
    recording = run_source()

    [table] = recording.of_type(TABLE)
    [function] = recording.of_type(FUNCTION)
    assert "globalSecondaryIndexes" not in table.inputs
    assert function.inputs["environment"]["variables"].keys() == {"SOURCE_TABLE"}
    assert recording.component_outputs[table.parent].get("index_name") is None


def test_reconciler_without_the_index_is_refused() -> None:
    require_index_for_reconciler(has_index=True, has_reconciler=True)
    require_index_for_reconciler(has_index=True, has_reconciler=False)

    with pytest.raises(InvalidSettingError, match="reconcile_index must be true where there is a reconciler"):
        require_index_for_reconciler(has_index=False, has_reconciler=True)
