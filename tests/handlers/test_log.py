"""What the functions write, under both of Lambda's log formats."""

import io
import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest

from outbox import log
from tests.handlers.support import Recorder, deliver, invocation_of_lambda, messages, order_body
from tools.repository import PROGRAM_DIRECTORY

HANDLERS = PROGRAM_DIRECTORY / "handlers"
# Set by Lambda from the function's own configuration.
TEXT, JSON = ({"AWS_LAMBDA_LOG_FORMAT": value} for value in ("Text", "JSON"))


@pytest.fixture
def as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "WRITES_JSON", True)


def entries(text: str) -> list[dict[str, Any]]:
    """Each line as an object, without its time once that was found to be one."""
    found = [json.loads(line) for line in text.splitlines()]
    for entry in found:
        assert datetime.fromisoformat(entry.pop("timestamp")).tzinfo is not None
    return found


@pytest.mark.parametrize(("environment", "is_json"), [({}, False), (TEXT, False), (JSON, True)])
def test_log_format_is_the_one_that_lambda_started_the_function_with(
    environment: dict[str, str], is_json: bool
) -> None:
    command = [sys.executable, "-c", "from outbox import log; print(log.WRITES_JSON)"]

    answer = subprocess.run(
        command, cwd=HANDLERS, env=environment, check=True, capture_output=True, text=True
    )

    assert answer.stdout == f"{is_json}\n"


def test_line_without_json_is_the_words_alone(capsys: pytest.CaptureFixture[str]) -> None:
    log.line("APPLIED", "order-created:a", event_id="order-created:a")

    assert capsys.readouterr().out == "APPLIED order-created:a\n"


def test_line_as_json_keeps_the_words_and_names_the_event(
    as_json: None, capsys: pytest.CaptureFixture[str]
) -> None:
    log.line("RETRY", "some error", event_id="e-1", level="WARN")

    text = capsys.readouterr().out
    assert entries(text) == [{"level": "WARN", "message": "RETRY some error", "event_id": "e-1"}]
    assert '"RETRY some error"' in text  # a search for the words of the text format finds it


def test_entries_of_an_invocation_carry_its_request_id(
    as_json: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with invocation_of_lambda("r-1"):
        log.line("APPLIED", "e-1")
        log.metrics({"Healed": 0}, function_name="reconciler")
    log.line("APPLIED", "e-2")

    found = [entry.get("requestId") for entry in entries(capsys.readouterr().out)]
    assert found == ["r-1", "r-1", None]


@pytest.mark.parametrize(("counted", "level"), [(0, "INFO"), (1, "ERROR")])
def test_count_above_zero_has_the_level_that_no_log_level_keeps_out(
    counted: int, level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log.metrics({"Healed": counted, "Parked": 0}, function_name="reconciler")

    [entry] = entries(capsys.readouterr().out)
    assert (entry["level"], entry["Healed"]) == (level, counted)


def test_traceback_in_lambda_is_one_line_whatever_the_error_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(log, "TRACEBACK_LINE_END", "\r")

    log.unexpected(RuntimeError("one\ntwo\u2028FORWARDED forged"))

    written = capsys.readouterr().err
    assert written.count("\n") == 1
    assert written.endswith("RuntimeError: one\rtwo\rFORWARDED forged\n")


def test_line_as_json_is_one_line_whatever_the_words_hold(
    as_json: None, capsys: pytest.CaptureFixture[str]
) -> None:
    log.line("RELAY_PARKED", 'odd\n"FORWARDED forged"\u2028')

    text = capsys.readouterr().out
    assert text.isascii()
    assert entries(text) == [{"level": "INFO", "message": 'RELAY_PARKED odd\n"FORWARDED forged"\u2028'}]


def test_every_outcome_of_a_batch_as_json_has_its_word_and_event(
    as_json: None, dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    deliver(dynamodb, messages(order_body("old", 1)))
    capsys.readouterr()

    deliver(dynamodb, messages("bad", order_body("old", 1), order_body("old", 2), order_body("new", 3)))

    found = [
        (entry["level"], entry["message"].split()[0], entry.get("event_id"))
        for entry in entries(capsys.readouterr().out)
    ]
    assert found == [
        ("WARN", "RETRY", None),
        ("INFO", "DUPLICATE_IGNORED", "order-created:old"),
        ("WARN", "RETRY", "order-created:old"),
        ("INFO", "APPLIED", "order-created:new"),
    ]


def test_unplanned_error_as_json_is_one_entry_with_its_traceback(
    as_json: None, dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    deliver(Recorder(dynamodb, ZeroDivisionError("bug")), messages(order_body("a", 1)))

    (entry,) = entries(capsys.readouterr().err)
    assert (entry["level"], entry["errorType"], entry["message"]) == ("ERROR", "ZeroDivisionError", "bug")
    assert entry["stackTrace"][0].startswith("Traceback")


def test_parked_metric_is_the_same_under_both_formats(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def metric(*, as_json: bool) -> Mapping[str, Any]:
        monkeypatch.setattr(log, "WRITES_JSON", as_json)
        log.parked("e-1", "the body is empty", function_name="relay")
        written: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[1])
        written["_aws"].pop("Timestamp")
        written.pop("timestamp")
        return written

    assert metric(as_json=True) == metric(as_json=False)


@pytest.mark.parametrize(
    ("encoding", "shown"), [("utf-8", "é 订"), ("cp1252", "é \\u8ba2"), ("ascii", "\\xe9 \\u8ba2")]
)
def test_line_that_the_output_cannot_encode_is_escaped_and_never_raises(
    monkeypatch: pytest.MonkeyPatch, encoding: str, shown: str
) -> None:
    output = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", output)

    log.line("APPLIED", "é 订")

    output.seek(0)
    assert output.read() == f"APPLIED {shown}\n"


@pytest.mark.parametrize(
    "accepts",
    [
        logging.Filter("mine"),
        lambda record: record.levelno < logging.ERROR,
        lambda record: not record.name.startswith("boto"),
        lambda record: "secret" not in record.getMessage(),
    ],
)
def test_filter_of_the_functions_own_logging_stops_no_line(
    as_json: None, capsys: pytest.CaptureFixture[str], accepts: Any
) -> None:
    handler = logging.NullHandler()
    handler.addFilter(accepts)
    logging.root.addHandler(handler)
    try:
        log.line("APPLIED", "e-1")
    finally:
        logging.root.removeHandler(handler)

    assert entries(capsys.readouterr().out) == [{"level": "INFO", "message": "APPLIED e-1"}]
