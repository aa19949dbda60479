"""`outbox relay-failures`: what the relay gave up is shown, and cleared only when no event is lost."""

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

import pytest

import orders
from outbox.items import inbox_marker, outbox_row
from outbox.rows import RowOptions
from outbox.wire import to_wire
from outbox_cli import queue_messages
from outbox_cli.errors import OperatorError
from outbox_cli.reconcile.findings import Reconciliation
from outbox_cli.relay_failures import commands
from outbox_cli.relay_failures.failures import CLOCKS_DIFFER_SECONDS, QUEUE, clear_failures, list_failures
from outbox_cli.stack.deployed import Stack
from tests.handlers.support import Recorder
from tests.outbox_cli.dead_letters.world import Changed
from tests.outbox_cli.reconcile.orders_on_their_way import accept, consume_all, relay, store
from tests.outbox_cli.relay_failures.batches import ABANDONED_BATCH, FIRST, LAST
from tests.outbox_cli.verbs import run_verb
from tools.simulation.dynamodb import DynamoDB, Table

LINE = (
    "2026-11-14T00:13:49.717Z  RetryAttemptsExhausted  10 records of shardId-1, 100 to 109, "
    f"stored {FIRST} to {LAST}"
)

END = (
    "1 batch was abandoned; the events are stored: `outbox reconcile --resend` sends them, "
    "then `outbox relay-failures clear`."
)

Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def no_wait_at_the_end_of_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_messages, "RECEIVE_WAIT_SECONDS", 0)


@pytest.fixture
def failing(stack: Stack) -> Stack:
    """A stack whose relay gave up a batch."""
    queue_url = stack.clients("sqs").create_queue(QueueName="failures")["QueueUrl"]
    stack.clients("sqs").send_message(QueueUrl=queue_url, MessageBody=json.dumps(ABANDONED_BATCH))
    return replace(stack, outputs={**stack.outputs, QUEUE: queue_url})


@pytest.fixture
def typed(failing: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: failing)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = run_verb(monkeypatch, "relay-failures", *arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def left(stack: Stack) -> int:
    return len(list_failures(stack).batches)


def test_list_shows_the_place_of_each_batch_and_what_heals_it(failing: Stack, typed: Typed) -> None:
    code, said, _ = typed("list")

    assert code == 0
    assert said.splitlines() == [LINE, END]
    assert left(failing) == 1


def test_list_in_json_has_the_range_of_sequence_numbers(typed: Typed) -> None:
    _, said, _ = typed("list", "--json")

    [batch] = json.loads(said)["batches"]
    assert (batch["shard"], batch["first_sequence_number"], batch["last_sequence_number"]) == (
        "shardId-1",
        "100",
        "109",
    )


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "{}",
        "no JSON",
        pytest.param("[" * 100_000, id="deep"),
        json.dumps(ABANDONED_BATCH | {"timestamp": 5}),
        json.dumps(ABANDONED_BATCH).replace(FIRST, "yesterday"),
        json.dumps(ABANDONED_BATCH).replace('shardId"', '"'),
    ],
)
def test_message_of_somebody_else_is_shown_as_telling_of_no_batch_and_counts_as_none(
    failing: Stack, typed: Typed, body: str
) -> None:
    sent = failing.clients("sqs").send_message(QueueUrl=failing[QUEUE], MessageBody=body)

    code, said, _ = typed("list")

    assert code == 0
    assert said.splitlines() == [
        f"Message {sent['MessageId']} is not Lambda's and tells of no batch: `outbox relay-failures clear` deletes it.",
        LINE,
        END,
    ]


def test_clear_while_an_event_is_lost_deletes_nothing_and_names_it(failing: Stack, typed: Typed) -> None:
    accept(failing, "a", 5)

    code, _, said = typed("clear", "--margin-seconds", "0")

    assert code == 1
    assert said.startswith("1 stored events are lost still, order-created:a among them: `outbox reconcile")
    assert left(failing) == 1


def test_clear_when_nothing_is_lost_empties_the_queue(failing: Stack, typed: Typed) -> None:
    accept(failing, "a", 5)
    relay(failing, "a")
    consume_all(failing)

    code, said, _ = typed("clear", "--margin-seconds", "0")

    assert (code, said.splitlines()[-1], left(failing)) == (0, "1 of 1 cleared.", 0)


def test_clear_that_leaves_a_message_ends_with_1(
    typed: Typed, failing: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = Changed(
        failing.clients("sqs"),
        delete_message_batch=lambda **_: {"Failed": [{"Id": "0", "Code": "InternalError"}]},
    )
    clients = {"sqs": failed, "dynamodb": failing.clients("dynamodb")}
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: replace(failing, clients=clients.__getitem__))

    code, said, _ = typed("clear", "--margin-seconds", "0")

    assert (code, said, left(failing)) == (1, "0 of 1 cleared.\n", 1)


def test_clear_of_a_batch_younger_than_the_margin_is_refused_as_its_events_may_be_lost_unseen(
    failing: Stack,
) -> None:
    stored = datetime.fromisoformat(LAST).timestamp()

    with pytest.raises(OperatorError, match=r"stored 19 min 59 s ago.*on their way for 20 min 0 s"):
        clear_failures(
            failing,
            list_failures(failing).batches,
            Reconciliation,
            margin_seconds=900,
            now=lambda: stored + 900 + CLOCKS_DIFFER_SECONDS - 1,
        )

    assert left(failing) == 1


def test_clear_of_a_message_that_tells_no_time_waits_for_the_margin_after_it_was_sent(
    failing: Stack, typed: Typed
) -> None:
    failing.clients("sqs").send_message(QueueUrl=failing[QUEUE], MessageBody="{}")

    code, _, said = typed("clear")

    assert (code, left(failing)) == (1, 2)
    assert "or with --margin-seconds 0" in said


def test_clear_says_what_another_reader_hides_and_ends_with_1(failing: Stack, typed: Typed) -> None:
    failing.clients("sqs").receive_message(QueueUrl=failing[QUEUE])
    failing.clients("sqs").send_message(QueueUrl=failing[QUEUE], MessageBody=json.dumps(ABANDONED_BATCH))

    code, said, _ = typed("clear", "--json", "--margin-seconds", "0")

    assert code == 1
    assert json.loads(said) == {
        "batches": 1,
        "cleared": 1,
        "dry_run": False,
        "complete": False,
        "hidden": 1,
    }


def test_dry_run_deletes_nothing(failing: Stack, typed: Typed) -> None:
    code, said, _ = typed("clear", "--dry-run")

    assert (code, said, left(failing)) == (0, "1 to clear.\n", 1)


def test_message_that_comes_while_it_is_looked_for_lost_events_stays(failing: Stack) -> None:
    def meanwhile() -> Reconciliation:
        failing.clients("sqs").send_message(QueueUrl=failing[QUEUE], MessageBody=json.dumps(ABANDONED_BATCH))
        return Reconciliation()

    cleared = clear_failures(failing, list_failures(failing).batches, meanwhile, margin_seconds=0)

    assert (cleared, left(failing)) == (1, 1)


def test_clear_is_done_only_if_every_row_of_the_table_is_applied_whether_it_is_in_the_index_or_not(
    failing: Stack, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    worlds = list(itertools.product(itertools.product((True, False), repeat=2), repeat=3))
    for world in worlds:
        source, projection = Table("source"), Table("projection")
        for number, (is_indexed, is_applied) in enumerate(world):
            event = orders.event_of(orders.Order(f"{number}", 700))
            event = RowOptions(is_indexed=is_indexed).on(event, datetime.fromisoformat(FIRST).timestamp())
            source.store(to_wire({**outbox_row(event.event_id, event.body), **event.extras}))
            if is_applied:
                projection.store(
                    to_wire(inbox_marker(event.event_id, sha256(event.body.encode()).hexdigest()))
                )
        clients = {"dynamodb": DynamoDB([source, projection]), "sqs": failing.clients("sqs")}
        outputs = {**failing.outputs, "reconcile_index_name": "by-minute"}
        world_stack = replace(failing, outputs=outputs, clients=clients.__getitem__)
        monkeypatch.setattr(commands, "chosen_stack", lambda *_, made=world_stack: made)

        code, _, _ = typed("clear", "--margin-seconds", "0")

        is_proven = all(is_applied for _, is_applied in world)
        assert (code, left(failing)) == ((0, 0) if is_proven else (1, 1)), world
        if is_proven:
            failing.clients("sqs").send_message(
                QueueUrl=failing[QUEUE], MessageBody=json.dumps(ABANDONED_BATCH)
            )
    assert len(worlds) == 64


def test_clear_while_an_event_is_parked_deletes_nothing_and_names_it(failing: Stack, typed: Typed) -> None:
    store(failing, "poison", None)

    code, _, said = typed("clear", "--margin-seconds", "0")

    assert (code, left(failing)) == (1, 1)
    assert said.startswith(
        "1 stored events can never be sent as they are, poison among them: `outbox correct`"
    )


def test_clear_reads_the_table_strongly_consistent(failing: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    scans = Recorder(None, default={"Items": []})
    clients = {"dynamodb": scans, "sqs": failing.clients("sqs")}
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: replace(failing, clients=clients.__getitem__))

    run_verb(monkeypatch, "relay-failures", "clear", "--margin-seconds", "0")

    assert scans.calls
    assert all(request["ConsistentRead"] for _, request in scans.calls)


@pytest.mark.parametrize(
    ("verb", "words"),
    [("list", "The stack has no queue for abandoned batches"), ("clear", "0 of 0 cleared.")],
)
def test_stack_without_a_failure_queue_has_nothing_to_show_or_clear(
    verb: str,
    words: str,
    stack: Stack,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: stack)

    code = run_verb(monkeypatch, "relay-failures", verb)

    assert code == 0
    assert capsys.readouterr().out.startswith(words)
