"""The relay: where it sends, what it may do, what its mapping lets through, which streams it refuses."""

import json
from typing import Any

import pulumi
import pytest

from components import IdempotentConsumer, OutboxSource, Reconciler, Relay, export_outbox
from tests.unit.aws_mocks import FUNCTION, MAPPING
from tests.unit.builders import COMPLETE, QUEUE_ARN, STREAM_ARN, build, run_relay
from tests.unit.recording import Recording, Registration, refused, run, statements


def test_relay_to_several_queues_may_send_to_each() -> None:
    urls, arns = ["https://q.test/q-a", "https://q.test/q-b"], [f"{QUEUE_ARN}-a", f"{QUEUE_ARN}-b"]

    queues = [{"url": url, "arn": arn} for url, arn in zip(urls, arns, strict=True)]

    recording = run_relay(queues=queues)

    environment = recording.one(FUNCTION, "orders-relay-function").inputs["environment"]
    assert environment == {"variables": {"QUEUE_URLS": "https://q.test/q-a https://q.test/q-b"}}
    assert statements(recording, "orders-relay")["ForwardOutbox"]["Resource"] == arns


def test_unlimited_retries_reach_the_mapping_on_request() -> None:
    unlimited = {"stream_maximum_retries": -1, "stream_maximum_record_age_seconds": -1}

    mapping = run_relay(**unlimited, allow_unlimited_retries=True).one(MAPPING, "orders-relay-mapping").inputs

    assert (mapping["maximumRetryAttempts"], mapping["maximumRecordAgeInSeconds"]) == (-1, -1)


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
def test_filter_lets_only_inserted_outbox_rows_pass(record: dict[str, Any], passes: bool) -> None:
    mapping = run_relay().one(MAPPING, "orders-relay-mapping").inputs

    (entry,) = mapping["filterCriteria"]["filters"]
    assert matches(json.loads(entry["pattern"]), record) is passes


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


def test_renamed_relay_with_an_alias_replaces_nothing() -> None:
    renamed = pulumi.ResourceOptions(aliases=[pulumi.Alias(name="orders")])

    before = run_relay()
    after = run(lambda: Relay("shipments", COMPLETE["Relay"], renamed))

    assert len(before.registrations) == 8
    assert names_before(after) == {
        (registration.type, registration.name) for registration in before.registrations
    }


@pytest.mark.parametrize("stream", [{"stream_arn": ""}, {"stream_view_type": "KEYS_ONLY"}])
def test_relay_on_a_stream_found_bad_later_stops_before_its_grant_and_mapping(
    stream: dict[str, Any],
) -> None:
    outputs = {"stream_arn": STREAM_ARN, "stream_view_type": "NEW_IMAGE"} | stream

    def program() -> object:  # an output needs the run's event loop
        return build("Relay", **{key: pulumi.Output.from_input(value) for key, value in outputs.items()})()

    registered = refused(program)

    assert not {"orders-relay-policy", "orders-relay-function", "orders-relay-mapping"} & set(registered)


def test_types_of_a_consumer_reach_the_relay_the_reconciler_and_the_exports() -> None:
    def program() -> None:
        source = OutboxSource("orders", {"reconcile_index": True})
        sales = IdempotentConsumer("sales", {"event_types": ["OrderCreated"]})
        audit = IdempotentConsumer("audit", {})
        relay = Relay("orders", {"stream_arn": source.stream_arn, "queues": [sales.queue, audit.queue]})
        Reconciler(
            "sales",
            {
                "source_table_name": source.table_name,
                "index_name": source.index_name,
                "index_arn": source.index_arn,
                "projection_table_name": sales.projection_table_name,
                "projection_table_arn": sales.projection_table_arn,
                "queue_url": sales.queue_url,
                "queue_arn": sales.queue_arn,
                "event_types": sales.queue["event_types"],
            },
        )
        export_outbox(source, relay, sales)

    recording = run(program)

    relay = recording.one(FUNCTION, "orders-relay-function").inputs["environment"]["variables"]
    reconciler = recording.one(FUNCTION, "sales-reconciler-function").inputs["environment"]["variables"]
    assert json.loads(relay["QUEUE_TYPES"]) == {relay["QUEUE_URLS"].split()[0]: ["OrderCreated"]}
    assert reconciler["EVENT_TYPES"] == '["OrderCreated"]'
    assert recording.exports["event_types"] == ["OrderCreated"]
