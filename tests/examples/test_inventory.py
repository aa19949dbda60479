"""The inventory's domain, through its three functions: what a reader would test of a domain of their own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import inventory
from outbox.errors import ConflictingRequest, InvalidInputError, VersionConflictError
from tests.handlers.support import PROJECTION_TABLE, SOURCE_TABLE, Context, items, messages
from tools.repository import PROGRAM_DIRECTORY

INVENTORY = PROGRAM_DIRECTORY / "examples" / "inventory"
TEA = {"reservation_id": "r-1", "article": "tea", "warehouse": "north", "pieces": 5}
SHIPMENT = {**TEA, "expected_version": 1}
LONGEST_DOMAIN_LINES = 60
PATIENCE_SECONDS = 300

Load = Callable[..., ModuleType]


@pytest.fixture
def accept(load: Load) -> Callable[[object], Any]:
    function = load("accept", SOURCE_TABLE=SOURCE_TABLE)
    return lambda command: function.lambda_handler(command, Context())


@pytest.fixture
def consume(load: Load) -> Callable[..., Any]:
    def deliver(name: str, *bodies: str) -> Any:
        function = load(name, PROJECTION_TABLE=PROJECTION_TABLE)
        return function.lambda_handler({"Records": messages(*bodies)}, Context())["batchItemFailures"]

    return deliver


def _events(client: Any) -> list[str]:
    """The stored bodies, reservations before shipments."""
    stored = items(client, SOURCE_TABLE)
    return [stored[key]["body"] for key in sorted(stored, reverse=True) if key.startswith("OUTBOX#")]


def test_reservation_and_shipment_are_accepted_and_each_repeated_one_is_again(
    dynamodb: Any, accept: Any
) -> None:
    answers = [accept(command)["result"] for command in (TEA, TEA, SHIPMENT, SHIPMENT, TEA)]

    stored = items(dynamodb, SOURCE_TABLE)
    assert answers == [
        "ACCEPTED",
        "ALREADY_ACCEPTED",
        "ACCEPTED",
        "ALREADY_ACCEPTED",
        "ALREADY_ACCEPTED",
    ]
    assert (stored["RESERVATION#r-1"]["status"], stored["RESERVATION#r-1"]["version"]) == ("SHIPPED", "2")


@pytest.mark.parametrize(
    ("command", "kind", "sentence"),
    [
        ({**TEA, "pieces": 6}, ConflictingRequest, "another pieces"),
        ({**SHIPMENT, "pieces": 6}, ConflictingRequest, "another pieces"),
        (
            {**SHIPMENT, "expected_version": 2},
            VersionConflictError,
            "expected at version 2, but .* version 1",
        ),
        ({**TEA, "pieces": 0}, InvalidInputError, "pieces must be a whole number from 1 to 100000"),
        ({**TEA, "article": "TEA"}, InvalidInputError, "article must be text of 1-40"),
        ({**TEA, "colour": "green"}, InvalidInputError, "A reservation must have exactly"),
        ({**SHIPMENT, "colour": "green"}, InvalidInputError, "A shipment must have exactly"),
        (None, InvalidInputError, "A reservation must be an object"),
    ],
)
def test_command_that_does_not_fit_is_refused_and_changes_nothing(
    dynamodb: Any, accept: Any, command: object, kind: type[Exception], sentence: str
) -> None:
    accept(TEA)
    before = items(dynamodb, SOURCE_TABLE)

    with pytest.raises(kind, match=sentence):
        accept(command)

    assert items(dynamodb, SOURCE_TABLE) == before


def test_levels_count_what_is_reserved_and_then_shipped_once(
    dynamodb: Any, accept: Any, consume: Any
) -> None:
    for command in (TEA, {**TEA, "reservation_id": "r-2", "pieces": 2}, SHIPMENT):
        accept(command)

    reported = [consume("levels", *_events(dynamodb)) for _ in range(2)]

    level = items(dynamodb, PROJECTION_TABLE)["ARTICLE#tea"]
    assert reported == [[], []]
    assert (level["reserved"], level["shipped"], level["reservations"]) == ("2", "5", "2")


def test_reservation_that_is_shipped_before_it_is_known_is_shipped_when_it_is(
    dynamodb: Any, accept: Any, consume: Any
) -> None:
    accept(TEA)
    accept(SHIPMENT)
    reserved, shipped = _events(dynamodb)

    reported = [consume("reservations", body) for body in (shipped, reserved, shipped)]

    stored = items(dynamodb, PROJECTION_TABLE)
    assert [len(each) for each in reported] == [1, 0, 0]
    assert stored["RESERVATION#r-1"]["status"] == "SHIPPED"
    assert stored["INTENT#send-mail"]["SK"] == "reservation-shipped:r-1"


def test_event_of_the_time_with_one_warehouse_counts_for_the_main_one(dynamodb: Any, consume: Any) -> None:
    body = '{"event_id":"e","type":"stock-reserved","reservation_id":"r-9","article":"tea","pieces":3}'

    reported = consume("levels", body)

    assert reported == []
    assert items(dynamodb, PROJECTION_TABLE)["ARTICLE#tea"]["SK"] == "LEVEL#main"


def test_domain_fits_on_a_page() -> None:
    lines = Path(inventory.__file__).read_text(encoding="utf-8").splitlines()

    assert len(lines) <= LONGEST_DOMAIN_LINES


def test_demo_of_two_consumers_at_one_relay_holds_from_its_first_step_to_its_last() -> None:
    printed = ".venv/bin/python -m examples.inventory.demo"

    done = subprocess.run(
        [sys.executable, *printed.split()[1:]],
        cwd=PROGRAM_DIRECTORY,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )

    held = [line for line in done.stdout.splitlines() if line.startswith("ok")]
    assert (done.returncode, "FAIL" in done.stdout) == (0, False), done.stdout + done.stderr
    assert len(held) == 20
    assert done.stdout.endswith("All 20 steps held.\n")


def test_deployed_settings_of_reconciler_and_lifetimes_reach_what_own_functions_store(
    dynamodb: Any, load: Load
) -> None:
    accept = load(
        "accept", SOURCE_TABLE=SOURCE_TABLE, RECONCILE_INDEX="1", OUTBOX_ROW_LIFETIME_SECONDS="1382400"
    )
    for command in (TEA, SHIPMENT):
        accept.lambda_handler(command, Context())
    levels = load("levels", PROJECTION_TABLE=PROJECTION_TABLE, INBOX_MARKER_LIFETIME_SECONDS="2764800")
    records = messages(*_events(dynamodb))
    for record in records:  # as the relay sends them
        record["messageAttributes"] = {"row_expires_at": {"dataType": "Number", "stringValue": "1800000000"}}
    levels.lambda_handler({"Records": records}, Context())

    stored = items(dynamodb, SOURCE_TABLE) | items(dynamodb, PROJECTION_TABLE)
    for event_id in ("stock-reserved:r-1", "reservation-shipped:r-1"):
        assert {"index_shard", "stored_minute", "expires_at"} < set(stored[f"OUTBOX#{event_id}"])
        assert "expires_at" in stored[f"INBOX#{event_id}"]
