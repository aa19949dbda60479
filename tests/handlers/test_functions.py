"""The three functions as Lambda runs them: settings, clients, imports, calls, answers."""

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import orders
from outbox.errors import ConflictingRequest, InvalidInputError, SettingError
from tests.handlers.support import (
    PROJECTION_TABLE,
    SOURCE_TABLE,
    Context,
    deliver,
    message,
    messages,
    order_body,
    outbox_image,
    shards,
    stream_record,
    total,
)

Load = Callable[..., ModuleType]


@pytest.fixture
def dynamodb(moto_dynamodb: Any) -> Any:
    return moto_dynamodb


def test_walkthrough_runs_through_the_three_functions(
    dynamodb: Any, sqs: Any, queue_url: str, load: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    command = load("command", SOURCE_TABLE=SOURCE_TABLE)
    relay = load("relay", QUEUE_URL=queue_url)
    consumer = load("consumer", PROJECTION_TABLE=PROJECTION_TABLE)

    accepted = command.lambda_handler({"order_id": "order-a", "amount_cents": 1000}, Context())
    [row] = [i for i in dynamodb.scan(TableName=SOURCE_TABLE)["Items"] if i["kind"] == {"S": "OUTBOX"}]
    relayed = relay.lambda_handler({"Records": [stream_record("1", row)]}, Context())
    [sent] = sqs.receive_message(QueueUrl=queue_url)["Messages"]
    record = message(sent["Body"], sent["MessageId"])
    consumed = [consumer.lambda_handler({"Records": [record]}, Context()) for _ in range(2)]

    assert accepted == {"result": "ACCEPTED", "event_id": "order-created:order-a"}
    assert relayed == {"batchItemFailures": []}
    assert consumed == [{"batchItemFailures": []}] * 2
    assert total(dynamodb) == (1, 1000)
    assert capsys.readouterr().out.splitlines() == [
        "ACCEPTED order-created:order-a",
        "FORWARDED order-created:order-a",
        "APPLIED order-created:order-a",
        "DUPLICATE_IGNORED order-created:order-a",
    ]


def test_command_repeated_and_changed_answers_and_raises(dynamodb: Any, load: Load) -> None:
    command = load("command", SOURCE_TABLE=SOURCE_TABLE)
    request = {"order_id": "a", "amount_cents": 1}

    answers = [command.lambda_handler(request, Context())["result"] for _ in range(2)]
    with pytest.raises(ConflictingRequest):
        command.lambda_handler({**request, "amount_cents": 2}, Context())

    assert answers == ["ACCEPTED", "ALREADY_ACCEPTED"]


def test_consumer_with_fault_set_fails_that_order_after_its_commit(
    dynamodb: Any, load: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    consumer = load("consumer", PROJECTION_TABLE=PROJECTION_TABLE, FAULT_AFTER_COMMIT="order-b")

    answer = consumer.lambda_handler({"Records": [message(order_body("order-b", 2500))]}, Context())

    assert answer == {"batchItemFailures": [{"itemIdentifier": "m-1"}]}
    assert total(dynamodb) == (1, 2500)
    assert capsys.readouterr().out.splitlines() == [
        "APPLIED order-created:order-b",
        "RETRY RuntimeError: INJECTED_AFTER_COMMIT order-created:order-b",
    ]


def test_consumer_with_shards_adds_all_its_batches_to_one_of_them(dynamodb: Any, load: Load) -> None:
    consumer = load("consumer", PROJECTION_TABLE=PROJECTION_TABLE, AGGREGATE_SHARDS="8")

    for number in range(3):
        records = messages(order_body(f"a-{number}", 1), order_body(f"b-{number}", 2))
        consumer.lambda_handler({"Records": records}, Context())

    assert list(shards(dynamodb).values()) == [(6, 9)]
    assert list(shards(dynamodb)) == [orders.SALES_TOTAL.shard(consumer.SHARD).SK]


def test_consumers_started_often_use_every_shard(load: Load) -> None:
    chosen: set[int] = set()

    for _ in range(40):  # one in 2**39 runs would choose the same shard every time
        chosen.add(load("consumer", PROJECTION_TABLE=PROJECTION_TABLE, AGGREGATE_SHARDS="2").SHARD)
        if len(chosen) > 1:
            break

    assert chosen == {0, 1}


def test_message_delivered_again_to_another_shard_is_a_duplicate(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for shard in (0, 3):
        deliver(dynamodb, messages(order_body("a", 7)), parse=orders.sales(shard).parse)

    assert shards(dynamodb) == {"TOTAL": (1, 7)}
    assert capsys.readouterr().out.splitlines()[1:] == ["DUPLICATE_IGNORED order-created:a"]


@pytest.mark.parametrize("value", ["", "0", "-1", "two", "1.5", "\u0661"])
def test_consumer_with_a_senseless_number_of_shards_says_which_setting(load: Load, value: str) -> None:
    with pytest.raises(SettingError, match=r"variable AGGREGATE_SHARDS is '.*': set it to a whole number"):
        load("consumer", PROJECTION_TABLE=PROJECTION_TABLE, AGGREGATE_SHARDS=value)


def test_relay_with_several_queues_sends_to_each(sqs: Any, load: Load) -> None:
    urls = [sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("one", "two")]
    relay = load("relay", QUEUE_URLS=" ".join(urls))

    answer = relay.lambda_handler({"Records": [stream_record("1", outbox_image())]}, Context())

    assert answer == {"batchItemFailures": []}
    assert [sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] for url in urls] == ["body of e-1"] * 2


@pytest.mark.parametrize("name", ["relay", "consumer"])
def test_batch_function_with_empty_records_answers_an_empty_list(load: Load, name: str) -> None:
    function = load(name, PROJECTION_TABLE=PROJECTION_TABLE, QUEUE_URL="https://queue.test/url")

    answer = function.lambda_handler({"Records": []}, Context())

    assert json.dumps(answer) == '{"batchItemFailures": []}'


@pytest.mark.parametrize("name", ["relay", "consumer"])
@pytest.mark.parametrize("event", [None, {}, [], {"Records": None}, {"order_id": "a", "amount_cents": 1}])
def test_batch_function_called_with_anything_else_fails(load: Load, name: str, event: object) -> None:
    function = load(name, PROJECTION_TABLE=PROJECTION_TABLE, QUEUE_URL="https://queue.test/url")

    with pytest.raises(InvalidInputError, match="The invocation has no list of Records"):
        function.lambda_handler(event, Context())


@pytest.mark.parametrize(
    ("name", "variable"),
    [("command", "SOURCE_TABLE"), ("relay", "QUEUE_URL"), ("consumer", "PROJECTION_TABLE")],
)
@pytest.mark.parametrize("value", [None, "", " "])
def test_function_without_its_setting_says_which(
    load: Load, name: str, variable: str, value: str | None
) -> None:
    environment = {} if value is None else {variable: value}

    with pytest.raises(
        SettingError, match=f"The environment variable {variable} is missing or empty: set it to"
    ):
        load(name, **environment)


@pytest.mark.parametrize(
    "value", ["orders", "https://q.test/1/a,https://q.test/1/b", "https://q.test/1/a, https://q.test/1/b"]
)
@pytest.mark.parametrize("variable", ["QUEUE_URL", "QUEUE_URLS"])
def test_relay_with_what_is_no_url_of_a_queue_does_not_start(load: Load, variable: str, value: str) -> None:
    with pytest.raises(SettingError, match=f"variable {variable} has '(orders|https).*: set it to"):
        load("relay", **{variable: value})


def test_relay_with_two_urls_in_the_variable_for_one_does_not_start(load: Load) -> None:
    with pytest.raises(SettingError, match=r"variable QUEUE_URL has 'https://q.test/1/a https://q.test/1/b'"):
        load("relay", QUEUE_URL="https://q.test/1/a https://q.test/1/b")


def test_functions_call_only_what_their_roles_allow(
    dynamodb: Any, sqs: Any, queue_url: str, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[str, frozenset[str]]] = []

    def note(model: Any, params: Any, **_: Any) -> None:
        request = json.loads(params["body"])
        kinds = {kind for action in request.get("TransactItems", []) for kind in action}
        called.append((model.name, frozenset(kinds)))

    clients = [
        (load("command", SOURCE_TABLE=SOURCE_TABLE), "DYNAMODB"),
        (load("relay", QUEUE_URL=queue_url), "SQS"),
        (load("consumer", PROJECTION_TABLE=PROJECTION_TABLE), "DYNAMODB"),
    ]
    for module, name in clients:
        getattr(module, name).meta.events.register("before-call", note)
    command, relay, consumer = (module for module, _ in clients)

    for _ in range(2):
        command.lambda_handler({"order_id": "a", "amount_cents": 1000}, Context())
        relay.lambda_handler(
            {"Records": [stream_record("1", outbox_image(body={"S": order_body()}))]}, Context()
        )
        consumer.lambda_handler({"Records": [message(order_body())]}, Context())

    assert called == 2 * [
        ("TransactWriteItems", frozenset({"Put"})),
        ("SendMessageBatch", frozenset()),
        ("TransactWriteItems", frozenset({"Put", "Update"})),
    ]
