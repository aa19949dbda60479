"""Each event's effect once, whatever is repeated, reordered, refused or killed."""

import functools
import itertools
import random
from collections import Counter, deque
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

import orders
from outbox.consume import consume
from outbox.errors import InvalidInputError
from outbox.forward import forward
from outbox.settings import aggregate_shard
from tests.handlers.support import (
    FUNCTION_TIMEOUT_SECONDS,
    PROJECTION_TABLE,
    SOURCE_TABLE,
    Clock,
    Recorder,
    cancelled,
    deliver,
    error,
    items,
    message,
    messages,
    order_body,
    outbox_image,
    shards,
    stream_record,
    total,
)

CONFLICT = "TransactionConflict"
RECEIVE_LIMIT = 5


class Killed(BaseException):
    """The function's process ends here: nothing after it runs, no answer is given."""


def test_consume_new_event_stores_exactly_marker_and_total(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    reported = deliver(dynamodb, [message(order_body("order-a", 1000))])

    assert reported == []
    assert capsys.readouterr().out == "APPLIED order-created:order-a\n"
    digest = orders.parse_event(order_body("order-a", 1000)).identity.digest
    stored = dynamodb.scan(TableName=PROJECTION_TABLE)["Items"]
    assert sorted(stored, key=lambda item: item["PK"]["S"]) == [
        {
            "PK": {"S": "INBOX#order-created:order-a"},
            "SK": {"S": "EVENT"},
            "kind": {"S": "INBOX"},
            "digest": {"S": digest},
        },
        {
            "PK": {"S": "SALES"},
            "SK": {"S": "TOTAL"},
            "kind": {"S": "SUMMARY"},
            "order_count": {"N": "1"},
            "revenue_cents": {"N": "1000"},
        },
    ]


def test_a4_consume_again_recognises_the_stored_marker(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Recorder(dynamodb)
    deliver(client, [message(order_body("a", 1000), "m-1")])

    reported = deliver(client, [message(order_body("a", 1000), "m-2")])

    assert reported == []
    assert capsys.readouterr().out.splitlines()[1:] == ["DUPLICATE_IGNORED order-created:a"]
    assert total(dynamodb) == (1, 1000)
    assert client.operations == {"transact_write_items"}


@pytest.mark.parametrize("code", [CONFLICT, "ThrottlingError", "ValidationError", "None", "Unheard"])
def test_a1_consume_cancelled_without_marker_reports_then_applies_once(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    client = Recorder(dynamodb, default=cancelled("None", code))

    first = deliver(client, [message(order_body("a", 1000))])
    lost = total(dynamodb)
    second = deliver(dynamodb, [message(order_body("a", 1000))])

    assert (first, lost) == (["m-1"], None)
    assert (second, total(dynamodb)) == ([], (1, 1000))
    log = capsys.readouterr().out
    assert "DUPLICATE" not in log
    assert log.count("APPLIED order-created:a") == 1


@pytest.mark.parametrize("code", [CONFLICT, "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a1_consume_after_a_passing_cancellation_applies_in_the_same_delivery(
    dynamodb: Any, code: str
) -> None:
    clock = Clock()
    client = Recorder(dynamodb, cancelled("None", code), cancelled("None", code))

    reported = deliver(client, [message(order_body("a", 1000))], clock)

    assert reported == []
    assert total(dynamodb) == (1, 1000)
    assert clock.pauses == [0.025, 0.05]


@pytest.mark.parametrize(("events", "batch_size"), [(60, 1), (240, 20)])
@pytest.mark.parametrize("shard_count", [1, 4])
def test_a3_events_with_conflicts_in_ten_functions_are_all_counted_once(
    dynamodb: Any, events: int, batch_size: int, shard_count: int
) -> None:
    chance = random.Random(20260905)  # noqa: S311 - a repeatable scenario, nothing secret
    clock = Clock()

    def sometimes_conflicting(request: Any) -> Any:
        clock.remaining -= 0.02  # a call takes its time
        if chance.random() < 0.4:
            raise cancelled(*(CONFLICT if "Update" in each else "None" for each in request["TransactItems"]))
        return dynamodb.transact_write_items(**request)

    client = Recorder(dynamodb, default=sometimes_conflicting)
    parsers = [
        functools.partial(orders.parse_event, shard=aggregate_shard(environment, choose=chance.randrange))
        for environment in [{"AGGREGATE_SHARDS": str(shard_count)}] * 10
    ]
    waiting = deque(message(order_body(f"o-{n}", n), f"m-{n}") for n in range(1, events + 1))
    receives: Counter[str] = Counter()
    dead: list[str] = []
    while waiting:
        for parse in parsers:
            batch = [waiting.popleft() for _ in range(min(batch_size, len(waiting)))]
            receives.update(record["messageId"] for record in batch)
            clock.remaining = FUNCTION_TIMEOUT_SECONDS
            reported = deliver(client, batch, backoff=clock.backoff(chance.random), parse=parse)
            dead += [message_id for message_id in reported if receives[message_id] >= RECEIVE_LIMIT]
            waiting += [record for record in batch if record["messageId"] in set(reported) - set(dead)]

    assert dead == []
    assert total(dynamodb) == (events, sum(range(1, events + 1)))
    assert len(shards(dynamodb)) == shard_count
    assert len(client.calls) > 1.25 * events / batch_size  # the conflicts did happen
    assert set(receives.values()) == {1}  # and none of them cost a delivery


def test_a3_conflict_without_end_is_reported_before_the_function_is_cut_off(dynamodb: Any) -> None:
    clock = Clock()
    client = Recorder(dynamodb, default=cancelled("None", CONFLICT))

    reported = deliver(client, [message(order_body())], clock)

    assert reported == ["m-1"]
    assert 4.5 <= clock.remaining < 5.5
    assert max(clock.pauses) <= 1.0


@pytest.mark.parametrize("item", [{}, None])
def test_a4_a10_consume_with_old_item_missing_reports_and_never_reads(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], item: object
) -> None:
    reason = (
        {"Code": "ConditionalCheckFailed"}
        if item is None
        else {"Code": "ConditionalCheckFailed", "Item": item}
    )
    client = Recorder(dynamodb, cancelled(reason, "None"))

    reported = deliver(client, [message(order_body())])

    assert reported == ["m-1"]
    assert client.operations == {"transact_write_items"}
    assert total(dynamodb) is None
    assert capsys.readouterr().out.startswith("RETRY NotStoredError: order-created:a met a marker")


def test_a4_consume_compares_the_plain_digest_with_the_wire_form(dynamodb: Any) -> None:
    digest = orders.parse_event(order_body()).identity.digest
    ours = {"Code": "ConditionalCheckFailed", "Item": {"digest": {"S": digest}}}
    other = {"Code": "ConditionalCheckFailed", "Item": {"digest": {"S": "ab12"}}}

    duplicate = deliver(Recorder(dynamodb, cancelled(ours, "None")), [message(order_body())])
    conflicting = deliver(Recorder(dynamodb, cancelled(other, "None")), [message(order_body())])

    assert duplicate == []
    assert conflicting == ["m-1"]


@pytest.mark.parametrize(
    "failure",
    [
        error("TransactionInProgressException"),
        error("IdempotentParameterMismatchException"),
        error("AccessDeniedException"),
        error("ResourceNotFoundException"),
        ReadTimeoutError(endpoint_url="stub"),
        cancelled(),
        cancelled("None"),
    ],
)
def test_a5_consume_after_any_other_error_reports_and_applies_on_redelivery(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], failure: Exception
) -> None:
    client = Recorder(dynamodb, failure)

    first = deliver(client, messages(order_body("a", 1), order_body("b", 2)))
    second = deliver(client, messages(order_body("a", 1), order_body("b", 2)))

    assert first == ["m-1", "m-2"]
    assert second == []
    assert total(dynamodb) == (2, 3)
    log = capsys.readouterr().out
    assert log.count("RETRY NotStoredError: order-created:") == 2
    assert "DUPLICATE" not in log


def test_consume_with_an_unplanned_error_reports_the_batch_and_shows_the_traceback(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Recorder(dynamodb, ZeroDivisionError("bug"))

    reported = deliver(client, messages("bad", order_body("a", 1)))

    assert reported == ["m-1", "m-2"]
    captured = capsys.readouterr()
    assert captured.out.endswith("order-created:a is not known to be stored: ZeroDivisionError: bug\n")
    assert "Traceback" in captured.err


def test_a5_consume_sets_no_client_request_token_and_dedupes_without_it(dynamodb: Any) -> None:
    client = Recorder(dynamodb)
    body = order_body("o" * 40, 5)

    deliver(client, [message(body)])
    deliver(client, [message(body)])

    assert [set(request) for _, request in client.calls] == [{"TransactItems"}] * 2
    assert total(dynamodb) == (1, 5)


def test_a5_consume_after_a_lost_reply_is_a_duplicate(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def store_then_lose_the_reply(request: Any) -> None:
        dynamodb.transact_write_items(**request)
        raise ReadTimeoutError(endpoint_url="stub")

    client = Recorder(dynamodb, store_then_lose_the_reply)

    first = deliver(client, [message(order_body())])
    second = deliver(client, [message(order_body())])

    assert (first, second) == (["m-1"], [])
    assert total(dynamodb) == (1, 1000)
    assert capsys.readouterr().out.splitlines()[-1] == "DUPLICATE_IGNORED order-created:a"


@pytest.mark.parametrize(
    "bad",
    [
        "not JSON",
        "null",
        "[]",
        '"text"',
        pytest.param("[" * 3_000_000, id="nested"),
        '{"a":1}',
        "",
        None,
        7,
        {"order_id": "a"},
    ],
)
def test_c2_consume_with_a_bad_message_between_two_good_reports_only_it(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], bad: object
) -> None:
    reported = deliver(dynamodb, messages(order_body("a", 1), bad, order_body("b", 2)))

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 3)
    log = capsys.readouterr().out
    assert log.startswith("RETRY InvalidInputError: ")
    assert len(log) < 500


def test_c2_consume_with_the_body_missing_reports_only_that_message(dynamodb: Any) -> None:
    records = messages(order_body("a", 1), "", order_body("b", 2))
    del records[1]["body"]

    reported = deliver(dynamodb, records)

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 3)


def test_c2_consume_with_a_parser_that_breaks_reports_only_that_message(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def parse(body: str) -> Any:
        return orders.parse_event(body) if body != "boom" else {"a": 1}["missing"]

    reported = deliver(dynamodb, messages("boom", order_body("a", 1)), parse=parse)

    assert reported == ["m-1"]
    captured = capsys.readouterr()
    assert captured.out.splitlines() == ["RETRY KeyError: 'missing' (message m-1)", "APPLIED order-created:a"]
    assert "Traceback" in captured.err


def test_c1_consume_answers_a_list_for_no_some_and_all_failures(dynamodb: Any) -> None:
    none_received = deliver(dynamodb, [])
    none_failed = deliver(dynamodb, messages(order_body("a"), order_body("b")))
    all_failed = deliver(dynamodb, messages("bad", "worse"))

    assert none_received == []
    assert none_failed == []
    assert all_failed == ["m-1", "m-2"]


@pytest.mark.parametrize("message_id", [None, "", 7])
def test_c1_consume_of_a_record_without_message_id_fails_before_applying(
    dynamodb: Any, message_id: object
) -> None:
    records = [message(order_body("a")), {"messageId": message_id, "body": order_body("b")}]

    with pytest.raises(InvalidInputError, match="messageId of a record must be text"):
        deliver(dynamodb, records)

    assert items(dynamodb, PROJECTION_TABLE) == {}


@pytest.mark.parametrize("order", list(itertools.permutations(["relay", "sweep", "sweep"])))
def test_d4_event_sent_by_relay_and_by_sweep_in_any_order_is_counted_once(
    dynamodb: Any, sqs: Any, queue_url: str, order: tuple[str, ...]
) -> None:
    stored_body = order_body("q-4", 400)
    for sender in order:
        if sender == "relay":
            record = stream_record("1", outbox_image("order-created:q-4", {"S": stored_body}))
            forward(
                sqs,
                queue_urls=[queue_url],
                records=[record],
                backoff=Clock().backoff(),
                function_name="relay",
            )
        else:
            sqs.send_message(QueueUrl=queue_url, MessageBody=stored_body)
    received = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10)["Messages"]

    reported = [deliver(dynamodb, [message(m["Body"], m["MessageId"])]) for m in received]

    assert reported == [[], [], []]
    assert total(dynamodb) == (1, 400)


def test_e1_consume_other_content_under_a_known_id_fails_every_time(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    deliver(dynamodb, [message(order_body("m-3", 700))])

    reported = [deliver(dynamodb, [message(order_body("m-3", 900))]) for _ in range(RECEIVE_LIMIT)]

    assert reported == [["m-1"]] * RECEIVE_LIMIT
    assert total(dynamodb) == (1, 700)
    lines = capsys.readouterr().out.splitlines()[1:]
    assert set(lines) == {
        "RETRY ConflictingContent: order-created:m-3 was applied before with conflicting content"
    }


def test_e3_consumer_killed_before_the_transaction_applies_on_redelivery(dynamodb: Any) -> None:
    with pytest.raises(Killed):
        deliver(Recorder(dynamodb, Killed()), [message(order_body())])

    reported = deliver(dynamodb, [message(order_body())])

    assert reported == []
    assert total(dynamodb) == (1, 1000)


def test_e3_consumer_killed_after_the_transaction_finds_a_duplicate_on_redelivery(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def store_then_die(request: Any) -> None:
        dynamodb.transact_write_items(**request)
        raise Killed

    with pytest.raises(Killed):
        deliver(Recorder(dynamodb, store_then_die), [message(order_body())])

    reported = deliver(dynamodb, [message(order_body())])

    assert reported == []
    assert total(dynamodb) == (1, 1000)
    assert capsys.readouterr().out == "DUPLICATE_IGNORED order-created:a\n"


def test_e3_consumer_killed_during_the_retries_leaves_no_lock(dynamodb: Any) -> None:
    client = Recorder(dynamodb, cancelled("None", CONFLICT), Killed())
    with pytest.raises(Killed):
        deliver(client, [message(order_body())])
    between = items(dynamodb, PROJECTION_TABLE)

    reported = deliver(dynamodb, [message(order_body())])

    assert between == {}
    assert reported == []
    assert total(dynamodb) == (1, 1000)


def test_batch_of_new_events_is_one_transaction_with_one_merged_total(dynamodb: Any) -> None:
    client = Recorder(dynamodb)
    records = messages(*(order_body(f"o-{n}", n) for n in range(1, 100)))

    reported = deliver(client, records)

    assert reported == []
    assert total(dynamodb) == (99, sum(range(1, 100)))
    [(_, request)] = client.calls
    assert len(request["TransactItems"]) == 100


def test_batch_beyond_hundred_actions_goes_on_in_a_second_transaction(dynamodb: Any) -> None:
    client = Recorder(dynamodb)
    records = messages(*(order_body(f"o-{n}", n) for n in range(1, 251)))

    reported = deliver(client, records)

    assert reported == []
    assert total(dynamodb) == (250, sum(range(1, 251)))
    assert [len(request["TransactItems"]) for _, request in client.calls] == [100, 100, 53]


def test_batch_with_new_duplicate_and_conflicting_events_settles_each(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    deliver(dynamodb, messages(order_body("old", 1), order_body("changed", 2)))
    capsys.readouterr()

    reported = deliver(
        dynamodb,
        messages(
            order_body("old", 1), order_body("new-1", 10), order_body("changed", 3), order_body("new-2", 20)
        ),
    )

    assert reported == ["m-3"]
    assert total(dynamodb) == (4, 33)
    assert capsys.readouterr().out.splitlines() == [
        "DUPLICATE_IGNORED order-created:old",
        "APPLIED order-created:new-1",
        "RETRY ConflictingContent: order-created:changed was applied before with conflicting content",
        "APPLIED order-created:new-2",
    ]


def test_batch_with_the_same_event_twice_applies_it_once_and_acknowledges_both(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    reported = deliver(dynamodb, messages(order_body("a", 5), order_body("b", 7), order_body("a", 5)))

    assert reported == []
    assert total(dynamodb) == (2, 12)
    assert capsys.readouterr().out.splitlines() == [
        "APPLIED order-created:a",
        "APPLIED order-created:b",
        "DUPLICATE_IGNORED order-created:a",
    ]


def test_batch_with_the_same_event_twice_fails_both_when_nothing_is_stored(dynamodb: Any) -> None:
    client = Recorder(dynamodb, error("InternalServerError"))

    reported = deliver(client, messages(order_body("a"), order_body("a")))

    assert reported == ["m-1", "m-2"]


def test_batch_with_one_id_and_two_contents_applies_the_first_and_fails_the_second(dynamodb: Any) -> None:
    reported = deliver(dynamodb, messages(order_body("a", 700), order_body("a", 900), order_body("b", 1)))

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 701)


def test_batch_with_one_id_and_two_contents_asks_the_marker_which_is_the_duplicate(dynamodb: Any) -> None:
    deliver(dynamodb, [message(order_body("a", 900))])

    reported = deliver(dynamodb, messages(order_body("a", 700), order_body("a", 900)))

    assert reported == ["m-1"]
    assert total(dynamodb) == (1, 900)


def test_batch_with_one_marker_refused_fails_alone(dynamodb: Any, capsys: pytest.CaptureFixture[str]) -> None:
    client = Recorder(dynamodb, cancelled("None", "None", "ValidationError", "None"))

    reported = deliver(client, messages(order_body("a", 1), order_body("b", 2), order_body("c", 4)))

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 5)
    refusal = "RETRY EffectRefusedError: order-created:b was refused by DynamoDB: ValidationError"
    assert refusal in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "refusal", [cancelled("None", "ValidationError", "None", "None"), error("ValidationException")]
)
def test_batch_with_a_shared_write_refused_is_halved_until_the_bad_event_is_alone(
    dynamodb: Any, refusal: Exception
) -> None:
    alone = cancelled("None", "ValidationError")
    pair = cancelled("None", "ValidationError", "None")
    client = Recorder(dynamodb, refusal, None, pair, alone, None)

    reported = deliver(client, messages(order_body("a", 1), order_body("b", 2), order_body("c", 4)))

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 5)


def test_batch_with_duplicate_and_conflict_retries_the_rest_after_a_pause(dynamodb: Any) -> None:
    deliver(dynamodb, [message(order_body("old", 1))])
    digest = orders.parse_event(order_body("old", 1)).identity.digest
    marker = {"Code": "ConditionalCheckFailed", "Item": {"digest": {"S": digest}}}
    client = Recorder(dynamodb, cancelled(marker, CONFLICT, "None"))
    clock = Clock()

    reported = deliver(client, messages(order_body("old", 1), order_body("new", 2)), clock)

    assert reported == []
    assert total(dynamodb) == (2, 3)
    assert clock.pauses == [0.025]


def test_batch_with_time_used_up_keeps_what_is_settled_and_reports_the_rest(dynamodb: Any) -> None:
    records = messages(*(order_body(f"o-{n}", n) for n in range(1, 151)))
    client = Recorder(dynamodb)

    first = deliver(client, records, Clock(remaining=1))
    second = deliver(client, [record for record in records if record["messageId"] in first])

    assert first == [f"m-{n}" for n in range(100, 151)]
    assert second == []
    assert total(dynamodb) == (150, sum(range(1, 151)))


def test_batch_with_the_injected_fault_fails_only_that_message_and_counts_all(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    records = messages(order_body("order-a", 1000), order_body("order-b", 2500), order_body("order-c", 1))

    first = deliver(dynamodb, records, fault_event_id="order-created:order-b")
    again = deliver(dynamodb, [records[1]], fault_event_id="order-created:order-b")
    healed = deliver(dynamodb, [records[1]])

    assert (first, again, healed) == (["m-2"], ["m-2"], [])
    assert total(dynamodb) == (3, 3501)
    assert capsys.readouterr().out.splitlines() == [
        "APPLIED order-created:order-a",
        "APPLIED order-created:order-b",
        "RETRY RuntimeError: INJECTED_AFTER_COMMIT order-created:order-b",
        "APPLIED order-created:order-c",
        "DUPLICATE_IGNORED order-created:order-b",
        "RETRY RuntimeError: INJECTED_AFTER_COMMIT order-created:order-b",
        "DUPLICATE_IGNORED order-created:order-b",
    ]


@pytest.mark.parametrize("seed", range(20))
def test_any_redelivery_order_and_failures_leave_the_total_of_one_delivery_each(
    dynamodb: Any, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a repeatable scenario, nothing secret
    events = {f"o-{n}": chance.randint(1, 1000) for n in range(20)}
    waiting = [message(order_body(*event), f"m-{i}") for i, event in enumerate(list(events.items()) * 3)]

    def lose_the_reply(request: Any) -> None:
        dynamodb.transact_write_items(**request)
        raise ReadTimeoutError(endpoint_url="stub")

    while waiting:
        chance.shuffle(waiting)
        batch, waiting = waiting[:7], waiting[7:]
        step = chance.choice([None, lose_the_reply, error("InternalServerError"), cancelled()])
        reported = deliver(Recorder(dynamodb, step), batch)
        failed = [record for record in batch if record["messageId"] in reported]
        acknowledged = {orders.parse_event(each["body"]).event_id for each in batch if each not in failed}
        assert {f"INBOX#{event_id}" for event_id in acknowledged} <= items(dynamodb, PROJECTION_TABLE).keys()
        waiting += failed

    assert total(dynamodb) == (20, sum(events.values()))


def test_consume_uses_the_table_it_is_given(dynamodb: Any) -> None:
    response = consume(
        dynamodb,
        table=SOURCE_TABLE,
        records=[message(order_body())],
        parse=orders.parse_event,
        backoff=Clock().backoff(),
    )

    assert response == {"batchItemFailures": []}
    assert set(items(dynamodb, SOURCE_TABLE)) == {"INBOX#order-created:a", "SALES"}
