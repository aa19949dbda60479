"""What the functions log under AWS's own runtime: lines, levels, request ids, tracebacks, metrics."""

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.handlers.support import inserts, message, messages, order_body, outbox_image, stream_record
from tests.runtime.aws import Aws
from tests.runtime.conftest import Start

pytestmark = pytest.mark.thorough

ORDER = {"order_id": "order-a", "amount_cents": 1000}
ODD_ID = "é漢\U0001f600 \u202e\r\n\x1b[31m[ERROR] forged"
STACK_OF = {"Text": "dev", "JSON": "prod"}


def inserted(event_id: str, body: Any) -> dict[str, Any]:
    return {"Records": [stream_record("101", outbox_image(event_id, body))]}


def assert_filterable(entry: dict[str, Any], request_id: str) -> None:
    """Has what Lambda reads of a JSON line, and the request that it belongs to."""
    assert datetime.fromisoformat(entry["timestamp"]).tzinfo is not None
    assert entry["level"] in {"INFO", "WARN", "ERROR"}
    assert entry["requestId"] == request_id


def test_text_lines_are_the_walkthroughs(start: Start) -> None:
    command, consumer = start("dev", "orders-command"), start("dev", "sales-consumer")

    command.invoke(ORDER)
    for _ in range(2):
        consumer.invoke({"Records": messages(order_body("order-a"))})

    assert command.events() == ["ACCEPTED order-created:order-a"]
    assert consumer.events() == ["APPLIED order-created:order-a", "DUPLICATE_IGNORED order-created:order-a"]


def test_json_lines_carry_level_time_and_the_request_of_their_invocation(start: Start) -> None:
    consumer = start("prod", "sales-consumer")

    for body in ("no event", order_body("order-a"), order_body("order-a")):
        answer = consumer.invoke({"Records": messages(body)})

        [entry] = consumer.objects()
        assert_filterable(entry, answer.request_id)


@pytest.mark.parametrize("log_format", ["Text", "JSON"])
def test_foreign_event_id_is_one_event_whatever_letters_it_has(start: Start, log_format: str) -> None:
    relay = start(STACK_OF[log_format], "orders-relay")

    relay.invoke(inserted(ODD_ID, {"S": "body"}))

    [line] = relay.events() if log_format == "Text" else [each["message"] for each in relay.objects()]
    shown = r"é漢😀 \u202e\r\n\x1b[31m[ERROR] forged" if log_format == "Text" else ODD_ID
    assert line == f"FORWARDED {shown}"


@pytest.mark.parametrize("log_format", ["Text", "JSON"])
@pytest.mark.parametrize("name", ["orders-relay", "sales-consumer"])
def test_error_that_nobody_foresaw_is_one_event_with_its_traceback_and_one_of_the_outcome(
    start: Start, aws: Aws, log_format: str, name: str
) -> None:
    aws.is_broken = True
    function = start(STACK_OF[log_format], name)

    answer = function.invoke({"Records": [{**message(order_body("a")), **inserts("body")[0]}]})

    assert answer.body["batchItemFailures"] != []
    if log_format == "Text":
        traceback, outcome = function.events()
        assert traceback.startswith("Traceback (most recent call last):\r")
        assert "AttributeError" in traceback.split("\r")[-1]
        assert "RETRY" in outcome
    else:
        traceback, outcome = function.objects()
        assert (traceback["level"], traceback["errorType"]) == ("ERROR", "AttributeError")
        for entry in (traceback, outcome):
            assert_filterable(entry, answer.request_id)


@pytest.mark.parametrize("log_format", ["Text", "JSON"])
def test_parked_event_is_counted_at_the_level_of_an_error(start: Start, log_format: str) -> None:
    options = {"log_level": "ERROR"} if log_format == "JSON" else {}
    relay = start(STACK_OF[log_format], "orders-relay", **options)

    answer = relay.invoke(inserted("e-1", {"N": "1"}))
    relay.invoke(inserted("e-2", {"S": "body"}))

    _, metric, *others = relay.events()
    assert len(others) == (log_format == "Text")  # with JSON, the level keeps out the line of what went well
    entry = json.loads(metric)
    assert (entry["level"], entry["RelayParked"]) == ("ERROR", 1)
    assert_filterable(entry, answer.request_id)


@pytest.mark.parametrize("log_level", ["INFO", "WARN"])
def test_reconcilers_count_passes_every_level_when_there_is_something_to_count(
    start: Start, log_level: str
) -> None:
    start("prod", "orders-command").invoke(ORDER)
    later = datetime.fromtimestamp(time.time() + 20 * 60, UTC).isoformat()
    reconciler = start("prod", "sales-reconciler", log_level=log_level)

    answer = reconciler.invoke({"time": later}, seconds=300)

    metrics = [entry for entry in reconciler.objects() if "_aws" in entry]
    assert sum(metric["ReconcilerHealed"] for metric in metrics) == 1
    assert (len(metrics) == 1) == (log_level == "WARN")  # zeros are of the level INFO
    for metric in metrics:
        assert_filterable(metric, answer.request_id)
