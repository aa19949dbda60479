"""The relay: where it sends, what it may do, what its mapping lets through, which streams it refuses."""

import json
from typing import Any

import pulumi
import pytest

from components.relay import OUTBOX_INSERTS, Relay
from tests.unit.aws_mocks import FUNCTION, MAPPING, QUEUE
from tests.unit.builders import QUEUE_ARN, STREAM_ARN, relay_args, run_relay
from tests.unit.recording import Recording, Registration, refused, run, statements


def test_relay_to_several_queues_may_send_to_each() -> None:
    urls, arns = ["https://q.test/q-a", "https://q.test/q-b"], [f"{QUEUE_ARN}-a", f"{QUEUE_ARN}-b"]

    recording = run_relay(queue_urls=urls, queue_arns=arns)

    environment = recording.one(FUNCTION, "orders-relay-function").inputs["environment"]
    assert environment == {"variables": {"QUEUE_URLS": "https://q.test/q-a https://q.test/q-b"}}
    assert statements(recording, "orders-relay")["ForwardOutbox"]["Resource"] == arns


@pytest.mark.parametrize(("given", "expected"), [(None, (10_000, 86_400)), (0, (0, 86_400))])
def test_b4_retries_reach_the_mapping_as_given(given: int | None, expected: tuple[int, int]) -> None:
    mapping = run_relay(stream_maximum_retries=given).one(MAPPING, "orders-relay-mapping").inputs

    assert (mapping["maximumRetryAttempts"], mapping["maximumRecordAgeInSeconds"]) == expected


def test_b4_unlimited_reaches_the_mapping_only_on_request() -> None:
    unlimited = {"stream_maximum_retries": -1, "stream_maximum_record_age_seconds": -1}

    mapping = run_relay(**unlimited, allow_unlimited_retries=True).one(MAPPING, "orders-relay-mapping").inputs
    registered = refused(lambda: Relay("orders", relay_args(**unlimited)))

    assert (mapping["maximumRetryAttempts"], mapping["maximumRecordAgeInSeconds"]) == (-1, -1)
    assert registered == []


@pytest.mark.parametrize("age", [30, 59, 604_801])
def test_b4_age_out_of_range_is_refused_before_any_resource(age: int) -> None:
    assert refused(lambda: Relay("orders", relay_args(stream_maximum_record_age_seconds=age))) == []


def test_b5_records_given_up_go_to_the_failure_queue() -> None:
    recording = run_relay(failure_queue=True)

    queue = recording.one(QUEUE, "orders-relay-failures")
    mapping = recording.one(MAPPING, "orders-relay-mapping")
    assert queue.inputs["messageRetentionSeconds"] == 14 * 86400
    assert mapping.inputs["destinationConfig"]["onFailure"]["destinationArn"].endswith(
        ":orders-relay-failures-1a2b3c4"
    )
    assert mapping.property_dependencies["destinationConfig"] == {queue.urn}


def test_b6_failure_queue_adds_one_right_and_no_more() -> None:
    without = statements(run_relay(failure_queue=False), "orders-relay")
    with_queue = statements(run_relay(failure_queue=True), "orders-relay")

    report = with_queue.pop("ReportFailedRecords")
    assert report == {
        "Sid": "ReportFailedRecords",
        "Effect": "Allow",
        "Action": ["sqs:SendMessage"],
        "Resource": "arn:aws:sqs:us-east-1:123456789012:orders-relay-failures-1a2b3c4",
    }
    assert with_queue == without


def matches(pattern: Any, event: Any) -> bool:
    """Lambda's filter rule for exact values: every key must be there, with one of the listed values."""
    if isinstance(pattern, list):
        return event in pattern
    return isinstance(event, dict) and all(
        key in event and matches(inner, event[key]) for key, inner in pattern.items()
    )


def stream_record(name: str, kind: str | None) -> dict[str, Any]:
    image = {} if kind is None else {"NewImage": {"PK": {"S": "x"}, "kind": {"S": kind}}}
    return {"eventName": name, "dynamodb": {"SequenceNumber": "1", **image}}


@pytest.mark.parametrize(
    ("record", "passes"),
    [
        (stream_record("INSERT", "OUTBOX"), True),
        (stream_record("MODIFY", "OUTBOX"), False),
        (stream_record("REMOVE", None), False),
        (stream_record("INSERT", "ORDER"), False),
    ],
)
def test_b10_only_inserted_outbox_rows_pass_the_filter(record: dict[str, Any], passes: bool) -> None:
    mapping = run_relay().one(MAPPING, "orders-relay-mapping").inputs

    (entry,) = mapping["filterCriteria"]["filters"]
    assert matches(json.loads(entry["pattern"]), record) is passes


def test_b10_every_leaf_of_the_filter_is_a_list_of_values() -> None:
    def leaves(value: Any) -> list[Any]:
        return (
            [leaf for inner in value.values() for leaf in leaves(inner)]
            if isinstance(value, dict)
            else [value]
        )

    assert leaves(json.loads(OUTBOX_INSERTS)) == [["INSERT"], ["OUTBOX"]]


def names_before(recording: Recording) -> set[tuple[str, str]]:
    """Types and names under which the engine looks for existing resources, by its rule for an aliased parent:
    a child that is named after its parent was named after the parent's old name.
    https://www.pulumi.com/docs/iac/concepts/resources/options/aliases/"""
    by_urn = {registration.urn: registration for registration in recording.registrations}

    def before(item: Registration) -> str:
        if item.parent not in by_urn:
            (alias,) = item.alias_names
            return alias
        parent = by_urn[item.parent]
        return (
            before(parent) + item.name.removeprefix(parent.name)
            if item.name.startswith(parent.name)
            else item.name
        )

    return {(registration.type, before(registration)) for registration in recording.registrations}


def test_b12_renamed_relay_with_an_alias_replaces_nothing() -> None:
    renamed = pulumi.ResourceOptions(aliases=[pulumi.Alias(name="orders")])

    before = run(lambda: Relay("orders", relay_args(failure_queue=True)))
    after = run(lambda: Relay("shipments", relay_args(failure_queue=True), renamed))

    assert len(before.registrations) == 8
    assert names_before(after) == {
        (registration.type, registration.name) for registration in before.registrations
    }


@pytest.mark.parametrize(
    "stream",
    [{"stream_arn": ""}, {"stream_arn": None}, {"stream_view_type": "KEYS_ONLY"}, {"stream_arn": QUEUE_ARN}],
)
def test_b13_relay_on_a_bad_stream_is_refused_before_any_resource(stream: dict[str, Any]) -> None:
    assert refused(lambda: Relay("orders", relay_args(**stream))) == []


@pytest.mark.parametrize("stream", [{"stream_arn": ""}, {"stream_view_type": "KEYS_ONLY"}])
def test_b13_relay_on_a_stream_found_bad_later_stops_before_its_grant_and_mapping(
    stream: dict[str, Any],
) -> None:
    outputs = {"stream_arn": STREAM_ARN, "stream_view_type": "NEW_IMAGE"} | stream

    registered = refused(
        lambda: Relay(
            "orders", relay_args(**{key: pulumi.Output.from_input(value) for key, value in outputs.items()})
        )
    )

    assert not {"orders-relay-policy", "orders-relay-function", "orders-relay-mapping"} & set(registered)


@pytest.mark.parametrize(
    "queues",
    [
        {"queue_urls": [QUEUE_ARN], "queue_arns": ["https://q.test/q"]},
        {"queue_urls": ["q"]},
        {"queue_arns": ["q"]},
        {"queue_urls": "q", "queue_arns": "q"},
    ],
)
def test_relay_to_what_is_no_queue_is_refused_before_any_resource(queues: dict[str, Any]) -> None:
    assert refused(lambda: Relay("orders", relay_args(**queues))) == []
