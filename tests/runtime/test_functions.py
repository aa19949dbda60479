"""The stacks' functions under AWS's own runtime: cold starts, answers, errors, connections, and time nearly up."""

import time
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from tests.handlers.support import inserts, message, messages, order_body, stream_record
from tests.runtime.aws import Aws
from tests.runtime.conftest import Start
from tests.runtime.functions import STACKS, functions_of

pytestmark = pytest.mark.thorough

ORDER = {"order_id": "order-a", "amount_cents": 1000}
TEA = {"reservation_id": "r-1", "article": "tea", "warehouse": "north", "pieces": 5}


class Outbox(NamedTuple):
    """The functions of one outbox, and a request to its command."""

    stack: str
    command: str
    relay: str
    consumers: tuple[str, ...]
    request: dict[str, Any]


OUTBOXES = [
    Outbox("dev", "orders-command", "orders-relay", ("sales-consumer",), ORDER),
    Outbox("prod", "orders-command", "orders-relay", ("sales-consumer",), ORDER),
    Outbox("python", "shop-command", "shop-relay", ("shop-sales-consumer",), ORDER),
    Outbox("python", "stock-command", "stock-relay", ("stock-levels-consumer",), ORDER),
    Outbox("inventory", "stock-command", "stock-relay", ("levels-consumer", "reservations-consumer"), TEA),
]
FUNCTIONS = [
    *[(each.stack, name) for each in OUTBOXES for name in (each.command, each.relay, *each.consumers)],
    ("prod", "sales-reconciler"),
]


def variable(stack: str, name: str, *, of: str) -> str:
    return functions_of(stack)[name].variables[of]


def queues(stack: str, relay: str) -> list[str]:
    variables = functions_of(stack)[relay].variables
    return (variables.get("QUEUE_URLS") or variables["QUEUE_URL"]).split()


def stored_row(aws: Aws, outbox: Outbox) -> dict[str, Any]:
    table = aws.table(variable(outbox.stack, outbox.command, of="SOURCE_TABLE"))
    [row] = [item for (key, _), item in table.items.items() if key.startswith("OUTBOX#")]
    return row


def bodies(aws: Aws, url: str) -> list[str]:
    return [each.body for each in aws.queue(url).messages.values()]


@pytest.mark.parametrize("keeps_connections", [True, False])
@pytest.mark.parametrize("outbox", OUTBOXES, ids=lambda outbox: f"{outbox.stack}-{outbox.command}")
def test_outbox_takes_an_event_from_command_to_projection(
    start: Start, aws: Aws, outbox: Outbox, keeps_connections: bool
) -> None:
    aws.keeps_connections = keeps_connections
    options = {"keeps_connections": keeps_connections}
    command = start(outbox.stack, outbox.command, **options)
    relay = start(outbox.stack, outbox.relay, **options)

    accepted = [command.invoke(outbox.request).body["result"] for _ in range(2)]
    records = {"Records": [stream_record("1", stored_row(aws, outbox))]}
    relayed = [relay.invoke(records).body for _ in range(2)]
    sent = [bodies(aws, url) for url in queues(outbox.stack, outbox.relay)]
    consumed = []
    for name in outbox.consumers:
        consumer = start(outbox.stack, name, **options)
        consumed += [consumer.invoke({"Records": messages(sent[0][0])}).body for _ in range(2)]

    assert accepted == ["ACCEPTED", "ALREADY_ACCEPTED"]
    assert relayed == [{"batchItemFailures": []}] * 2
    assert sent == [[stored_row(aws, outbox)["body"]["S"]] * 2] * len(outbox.consumers)
    assert consumed == [{"batchItemFailures": []}] * 2 * len(outbox.consumers)
    for name in outbox.consumers:
        projection = aws.table(variable(outbox.stack, name, of="PROJECTION_TABLE")).items
        assert len([key for key in projection if key[0].startswith("INBOX#")]) == 1
        assert len(projection) == 2


def test_functions_are_all_those_of_the_stacks_and_of_the_examples() -> None:
    print(f"{len(FUNCTIONS)} functions run under AWS's own runtime.")  # noqa: T201

    assert sorted(FUNCTIONS) == sorted((stack, name) for stack in STACKS for name in functions_of(stack))
    assert len(FUNCTIONS) >= 17


def test_reconciler_sends_what_no_relay_has_sent(start: Start, aws: Aws) -> None:
    start("prod", "orders-command").invoke(ORDER)
    later = datetime.fromtimestamp(time.time() + 20 * 60, UTC).isoformat()

    answer = start("prod", "sales-reconciler").invoke({"time": later}, seconds=300)

    assert answer.body == {"rows": 1, "healed": 1, "parked": 0, "conflicting": 0}
    [url] = queues("prod", "sales-reconciler")
    assert bodies(aws, url) == [stored_row(aws, OUTBOXES[1])["body"]["S"]]


@pytest.mark.parametrize(("stack", "name"), FUNCTIONS)
def test_function_called_with_something_foreign_fails_with_a_sentence_in_one_log_event(
    start: Start, stack: str, name: str
) -> None:
    function = start(stack, name)
    foreign = {"time": "yesterday"} if name == "sales-reconciler" else ["\ud800", {"Records": "é"}]

    answers = [function.invoke(foreign) for _ in range(2)]

    assert [answer.kind for answer in answers] == ["error"] * 2
    error = answers[0].body
    assert error["errorType"] == "InvalidInputError"
    assert error["errorMessage"].endswith(".") or " must " in error["errorMessage"]
    assert error["stackTrace"]
    assert [error["errorMessage"] in event for event in function.events()] == [True] * 2


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_body_of_any_letters_reaches_the_queue_as_it_is(start: Start, aws: Aws, stack: str) -> None:
    texts = ["é", "漢字", "\U0001f600", "\u2028", "tab\tand\r\n", '{"name": "\\ud83d"}']

    answer = start(stack, "orders-relay").invoke({"Records": inserts(*texts)})

    assert answer.body == {"batchItemFailures": []}
    [url] = queues(stack, "orders-relay")
    assert bodies(aws, url) == texts


@pytest.mark.parametrize("stack", ["dev", "prod"])
@pytest.mark.parametrize("seconds", [-1.0, 0.0, 1.0, 4.6])
def test_batch_whose_time_is_nearly_up_has_done_all_that_it_does_not_report(
    start: Start, aws: Aws, stack: str, seconds: float
) -> None:
    texts, orders = ["one", "two"], ["a", "b"]
    batch = [message(order_body(order), order) for order in orders]

    relayed = start(stack, "orders-relay").invoke({"Records": inserts(*texts)}, seconds=seconds).body
    consumed = start(stack, "sales-consumer").invoke({"Records": batch}, seconds=seconds).body

    [url] = queues(stack, "orders-relay")
    first = min((int(each["itemIdentifier"]) for each in relayed["batchItemFailures"]), default=103)
    assert bodies(aws, url)[: first - 101] == texts[: first - 101]
    reported = {each["itemIdentifier"] for each in consumed["batchItemFailures"]}
    projection = aws.table(variable(stack, "sales-consumer", of="PROJECTION_TABLE")).items
    applied = {order for order in orders if (f"INBOX#order-created:{order}", "EVENT") in projection}
    assert reported | applied == {*orders}
