"""What `outbox status` knows and shows, and what it says it does not know."""

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from outbox_cli.durations import duration
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.metrics import newest_values
from outbox_cli.status.report import MappingState, StackStatus, read_status, status_as_json
from outbox_cli.status.stored import QueueCounts
from outbox_cli.status.table_counts import TableCount, count_items
from outbox_cli.status.view import status_view

NOW = datetime(2026, 9, 5, 12, 0, tzinfo=UTC)
MAPPINGS = {
    "1": {"State": "Disabled", "LastProcessingResult": "PROBLEM: Function call failed"},
    "2": {"State": "Enabled"},
}


class Metrics:
    """A CloudWatch that has these values by metric name, newest first."""

    def __init__(self, **values: list[float]) -> None:
        self._values = values

    def get_metric_data(self, *, MetricDataQueries: list[Any], **_: Any) -> dict[str, Any]:  # noqa: N803 botocore's
        return {
            "MetricDataResults": [
                {
                    "Id": query["Id"],
                    "Values": self._values.get(query["MetricStat"]["Metric"]["MetricName"], []),
                }
                for query in MetricDataQueries
            ]
        }


class Functions:
    """A Lambda that has the mappings."""

    def get_event_source_mapping(self, *, UUID: str) -> dict[str, str]:  # noqa: N803 botocore's
        return MAPPINGS[UUID]


@pytest.fixture
def whole_stack(stack: Stack) -> Stack:
    fakes = {"cloudwatch": Metrics(IteratorAge=[90_000.0, 5.0]), "lambda": Functions()}
    outputs = {
        **stack.outputs,
        "queue_arn": "arn:aws:sqs:eu-central-1:000000000000:queue",
        "dead_letter_queue_arn": "arn:aws:sqs:eu-central-1:000000000000:dead-letters",
        "relay_function_name": "relay",
        "relay_mapping_uuid": "1",
        "consumer_mapping_uuid": "2",
    }
    return Stack(
        "test", outputs, lambda service: fakes[service] if service in fakes else stack.clients(service)
    )


def put(stack: Stack, table: str, key: str, **attributes: str) -> None:
    item = {"PK": key, "SK": "S", **attributes}
    stack.clients("dynamodb").put_item(
        TableName=table, Item={name: {"S": value} for name, value in item.items()}
    )


def test_items_are_counted_by_kind_with_those_of_others_beside_them(stack: Stack) -> None:
    for number in range(3):
        put(stack, "source", f"{number}", kind="OUTBOX")
    put(stack, "source", "foreign")

    count = count_items(stack, "source")

    assert count == TableCount(4, {"OUTBOX": 3, "without kind": 1}, exact=True)


def test_table_of_more_pages_is_estimated_unless_asked(stack: Stack) -> None:
    for number in range(8):  # three of them fill a page of 1 MB
        put(stack, "source", f"{number}", wide="x" * 390_000)

    estimate = count_items(stack, "source", most_pages=1)
    asked = count_items(stack, "source", most_pages=None)

    assert estimate == TableCount(8, None, exact=False)
    assert asked == TableCount(8, {"without kind": 8}, exact=True)


def test_table_that_ends_with_the_last_page_read_is_exact(stack: Stack) -> None:
    put(stack, "source", "one", kind="ORDER")

    count = count_items(stack, "source", most_pages=1)

    assert count == TableCount(1, {"ORDER": 1}, exact=True)


def test_metric_without_a_value_is_not_known_rather_than_zero(whole_stack: Stack) -> None:
    values = newest_values(whole_stack, NOW)

    assert values == {"queue": None, "dead_letter_queue": None, "iterator": 90_000.0}


def test_status_reads_tables_totals_queues_and_mappings(whole_stack: Stack) -> None:
    put(whole_stack, "source", "ORDER#a", kind="ORDER")
    whole_stack.clients("sqs").send_message(QueueUrl=whole_stack["queue_url"], MessageBody="one")

    status = read_status(whole_stack, now=lambda: NOW)

    assert status == StackStatus(
        stack="test",
        read_at=NOW,
        tables={
            "source": TableCount(1, {"ORDER": 1}, exact=True),
            "projection": TableCount(0, {}, exact=True),
        },
        totals={"order_count": 0, "revenue_cents": 0},
        queue=QueueCounts(1, 0),
        dead_letter_queue=QueueCounts(0, 0),
        oldest_message_seconds={"queue": None, "dead_letter_queue": None},
        mappings={
            "relay": MappingState("Disabled", "PROBLEM: Function call failed"),
            "consumer": MappingState("Enabled", "not known"),
        },
        iterator_lag_ms=90_000.0,
    )


STATUS = StackStatus(
    stack="prod",
    read_at=NOW,
    tables={
        "source": TableCount(20_000_000, None, exact=False),
        "projection": TableCount(1, {"INBOX": 1}, exact=True),
    },
    totals={"order_count": 1, "revenue_cents": 1000},
    queue=QueueCounts(3, 1),
    dead_letter_queue=QueueCounts(2, 0),
    oldest_message_seconds={"queue": 3700, "dead_letter_queue": None},
    mappings={"relay": MappingState("Disabled", "OK"), "consumer": MappingState("Enabled", "OK")},
    iterator_lag_ms=1500,
)


def test_status_as_json_has_each_queues_oldest_message_with_it() -> None:
    answer = json.loads(json.dumps(status_as_json(STATUS)))

    assert answer["queue"] == {"available": 3, "in_flight": 1, "oldest_message_seconds": 3700}
    assert answer["dead_letter_queue"] == {"available": 2, "in_flight": 0, "oldest_message_seconds": None}
    assert answer["tables"]["source"] == {"items": 20_000_000, "by_kind": None, "exact": False}
    assert answer["read_at"] == "2026-09-05T12:00:00.000+00:00"


def test_status_of_a_domain_that_is_not_known_leaves_the_totals_out() -> None:
    shown = []
    for status in (STATUS, replace(STATUS, totals={})):
        console = Console(width=80, record=True, file=io.StringIO())
        console.print(status_view(status))
        shown.append(console.export_text())

    assert ["totals" in text for text in shown] == [True, False]


def test_status_on_80_columns_says_what_is_estimated_and_what_is_not_known() -> None:
    console = Console(width=80, record=True, file=io.StringIO())

    console.print(status_view(STATUS))

    shown = console.export_text()
    words = " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 80
    assert "about 20000000 items, as DynamoDB counted them in the last six hours" in words
    assert "delivery queue 3 available, 1 in flight; oldest message 1 h 1 min" in words
    assert "dead-letter queue 2 available, 0 in flight; oldest message not known" in words
    assert "relay mapping Disabled; last result: OK" in words
    assert "iterator lag 1.5 s" in words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "not known"),
        (0, "0 s"),
        (0.0521, "52 ms"),
        (59.5, "59.5 s"),
        (60, "1 min 0 s"),
        (86_399, "23 h 59 min"),
        (200_000, "2 d 7 h"),
    ],
)
def test_duration_is_told_in_two_units(seconds: float | None, words: str) -> None:
    assert duration(seconds) == words
