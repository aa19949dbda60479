"""`outbox correct`: a parked event gets its right body and is sent, or is abandoned; nothing else is changed."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import inventory
import orders
from outbox_cli.errors import OperatorError
from outbox_cli.parked import commands, correction
from outbox_cli.reconcile.search import reconcile
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals, read_totals
from outbox_cli.trace.facts import EventFacts, LogLine, read_item
from outbox_cli.trace.timeline import timeline_of
from tests.outbox_cli.parked.rows import BROKEN, EVENT, RIGHT, Typed
from tests.outbox_cli.reconcile.orders_on_their_way import accept, consume_all, store, waiting

INVENTORY = Path(__file__).parents[3] / "examples" / "inventory"


@pytest.mark.parametrize("body", [None, BROKEN, {"M": {}}, {"S": ""}])
def test_parked_event_is_corrected_sent_and_reconciled(stack: Stack, typed: Typed, body: Any) -> None:
    store(stack, EVENT, body)

    code, said, _ = typed(EVENT, "right.json")

    assert (code, said) == (
        0,
        f"{EVENT} is corrected and sent: `outbox trace {EVENT}` shows when it is applied.\n",
    )
    consume_all(stack)
    found = reconcile(stack)
    assert (found.applied, found.parked.count, found.ok) == (1, 0, True)
    assert read_totals(stack) == Totals(1, 700)


def test_event_that_was_sent_by_hand_before_is_settled_by_its_own_content(stack: Stack, typed: Typed) -> None:
    store(stack, EVENT, None)
    stack.clients("sqs").send_message(QueueUrl=stack["queue_url"], MessageBody=RIGHT)
    consume_all(stack)
    assert reconcile(stack).conflicting.count == 1

    code, _, _ = typed(EVENT, "right.json")

    consume_all(stack)
    assert (code, reconcile(stack).ok, read_totals(stack)) == (0, True, Totals(1, 700))


def test_event_that_is_applied_with_other_content_is_left(stack: Stack, typed: Typed) -> None:
    store(stack, EVENT, None)
    other = orders.event_of(orders.Order("a", 900)).body
    stack.clients("sqs").send_message(QueueUrl=stack["queue_url"], MessageBody=other)
    consume_all(stack)

    code, _, said = typed(EVENT, "right.json")

    assert code == 1
    assert said.startswith(f"{EVENT} is applied already, with other content than this body has")
    assert waiting(stack) == []


def test_event_that_is_given_up_counts_as_expired_and_is_no_finding(stack: Stack, typed: Typed) -> None:
    store(stack, EVENT, BROKEN)

    code, said, _ = typed(EVENT, "--give-up")

    found = reconcile(stack)
    assert (code, said) == (0, f"{EVENT} is abandoned: its lifetime has ended.\n")
    assert (found.expired, found.parked.count, found.ok) == (1, 0, True)
    assert (read_item(stack, "source", f"OUTBOX#{EVENT}", "EVENT") or {})["body"] == BROKEN["S"]


@pytest.mark.parametrize("wrong", [None, BROKEN])
def test_event_that_was_given_up_is_lost_like_any_other_if_its_correction_is_killed_before_the_send(
    stack: Stack, typed: Typed, monkeypatch: pytest.MonkeyPatch, wrong: Any
) -> None:
    store(stack, EVENT, wrong)
    typed(EVENT, "--give-up")
    given_up = timeline_of(read_facts_of(stack)).verdict

    def killed(*_: Any) -> str:
        raise OperatorError("killed")

    monkeypatch.setattr(correction, "send", killed)
    typed(EVENT, "right.json")

    found = reconcile(stack, send=True)
    assert (found.expired, found.lost.count, found.sent) == (0, 1, 1)
    assert given_up.startswith("Abandoned: ")
    assert timeline_of(read_facts_of(stack)).verdict.startswith("Stored, not known to be relayed")


def test_lifetime_that_has_not_ended_is_kept(stack: Stack, typed: Typed) -> None:
    ends_at = int(time.time()) + 100_000
    store(stack, EVENT, BROKEN, expires_at={"N": str(ends_at)})

    typed(EVENT, "right.json")

    assert (read_item(stack, "source", f"OUTBOX#{EVENT}", "EVENT") or {})["expires_at"] == ends_at


def read_facts_of(stack: Stack) -> EventFacts:
    """What a trace reads of the event whose relay parked it."""
    now_ms = int(time.time() * 1000)
    parked = LogLine("relay", now_ms, f"RELAY_PARKED {EVENT} the body is missing")
    row = read_item(stack, "source", f"OUTBOX#{EVENT}", "EVENT")
    return EventFacts(EVENT, row, None, [parked], {}, now_ms + 1000)


def test_corrected_event_is_sent_with_the_headers_of_its_row(stack: Stack, typed: Typed) -> None:
    store(stack, EVENT, None)
    stack.clients("dynamodb").update_item(
        TableName=stack["source_table_name"],
        Key={"PK": {"S": f"OUTBOX#{EVENT}"}, "SK": {"S": "EVENT"}},
        UpdateExpression="SET headers = :headers, expires_at = :end",
        ExpressionAttributeValues={":headers": {"M": {"tenant": {"S": "x"}}}, ":end": {"N": "9000000000"}},
    )

    typed(EVENT, "right.json")

    [message] = stack.clients("sqs").receive_message(
        QueueUrl=stack["queue_url"], MessageAttributeNames=["All"]
    )["Messages"]
    assert message["MessageAttributes"].keys() == {"tenant", "row_expires_at"}


@pytest.mark.parametrize("domain", [None, "inventory"])
def test_event_of_another_domain_is_corrected_and_checked_where_the_domain_is_known(
    stack: Stack, typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, domain: str | None
) -> None:
    stock = replace(stack, outputs={**stack.outputs, "domain": domain})
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: stock)
    monkeypatch.chdir(INVENTORY)
    fields = {"reservation_id": "r-1", "article": "tea", "warehouse": "north", "pieces": 5}
    right = inventory.RESERVED.event("stock-reserved:r-1", fields).body
    (tmp_path / "stock.json").write_text(right)
    (tmp_path / "wrong.json").write_text(right.replace("pieces", "parts"))
    store(stack, "stock-reserved:r-1", BROKEN)

    refused, _, _ = typed("stock-reserved:r-1", str(tmp_path / "wrong.json"), "--dry-run")
    _, checked, _ = typed("stock-reserved:r-1", str(tmp_path / "stock.json"), "--dry-run")
    code, said, _ = typed("stock-reserved:r-1", str(tmp_path / "stock.json"))

    unknown = "" if domain else " The domain is not known here: your own consumer has to understand the body."
    assert refused == (2 if domain else 0)
    assert checked.endswith(f": nothing is changed.{unknown}\n")
    assert (code, said.endswith(f" shows when it is applied.{unknown}\n")) == (0, True)
    assert [each["body"] for each in waiting(stack)] == [right]


def of_another_domain(stack: Stack) -> Stack:
    return replace(stack, outputs={**stack.outputs, "domain": None})


@pytest.mark.parametrize(
    "body",
    [
        '{"event_id":"order-created:a"}',
        RIGHT.replace("700", "0"),
        RIGHT.replace("OrderCreated", "OrderMade"),
        RIGHT.replace('"a"', '"b"'),
        RIGHT.replace("}", ',"more":1}'),
    ],
)
@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_body_that_the_consumer_would_refuse_is_wrong_use_and_changes_nothing(
    stack: Stack, typed: Typed, tmp_path: Path, body: str, dry: tuple[str, ...]
) -> None:
    store(stack, EVENT, BROKEN)
    (tmp_path / "wrong.json").write_text(body)

    code, _, said = typed(EVENT, "wrong.json", *dry)

    assert (code, waiting(stack), reconcile(stack).parked.count) == (2, [], 1)
    assert said.startswith("The consumer of this stack would refuse this body: ")


def test_corrected_body_that_is_not_applied_can_be_corrected_again_until_one_is(
    stack: Stack, typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: of_another_domain(stack))
    (tmp_path / "refused.json").write_text(f'{{"event_id":"{EVENT}","type":"nobody takes it"}}')
    (tmp_path / "other.json").write_text(RIGHT.replace("700", "900"))
    store(stack, EVENT, BROKEN)
    typed(EVENT, "refused.json")
    assert waiting(stack)  # and hidden from now on

    again, _, _ = typed(EVENT, "right.json")
    ahead, _, _ = typed(EVENT, "other.json")  # while the message with the right one is on its way

    assert waiting(stack)  # and hidden from now on
    stack.clients("sqs").send_message(QueueUrl=stack["queue_url"], MessageBody=RIGHT)
    consume_all(stack)
    conflicting = reconcile(stack).conflicting.count
    back, _, _ = typed(EVENT, "right.json")
    settled, _, said = typed(EVENT, "other.json")
    consume_all(stack)
    assert (again, ahead, conflicting, back, settled) == (0, 0, 1, 0, 1)
    assert said.startswith(f"The stored body of {EVENT} can be sent as it is")
    assert (reconcile(stack).ok, read_totals(stack)) == (True, Totals(1, 700))


def test_corrected_body_that_is_not_applied_can_be_given_up(
    stack: Stack, typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: of_another_domain(stack))
    (tmp_path / "refused.json").write_text(f'{{"event_id":"{EVENT}","type":"nobody takes it"}}')
    store(stack, EVENT, BROKEN)
    typed(EVENT, "refused.json")

    code, _, _ = typed(EVENT, "--give-up")

    assert (code, reconcile(stack).expired, reconcile(stack).ok) == (0, 1, True)


def test_dry_run_says_why_it_is_parked_and_changes_nothing(stack: Stack, typed: Typed) -> None:
    store(stack, EVENT, None)

    code, said, _ = typed(EVENT, "right.json", "--dry-run", "--json")

    answer = json.loads(said)
    assert (code, answer["parked"], answer["is_checked"]) == (0, "the body is missing", True)
    assert reconcile(stack).parked.count == 1
    assert waiting(stack) == []


def test_event_that_can_be_sent_is_not_changed(stack: Stack, typed: Typed) -> None:
    accept(stack, "a", 500)

    code, _, said = typed(EVENT, "right.json")

    assert (code, said) == (
        1,
        f"The stored body of {EVENT} can be sent as it is: `outbox trace {EVENT}` shows its way.\n",
    )
