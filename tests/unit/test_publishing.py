"""A consumer that publishes is a source for further consumers: stream, index, lifetimes, outputs."""

from components import IdempotentConsumer, OutboxSource, Reconciler, Relay, export_outbox
from tests.unit.aws_mocks import FUNCTION, TABLE
from tests.unit.builders import run_consumer
from tests.unit.recording import Recording, run

ROW_SECONDS = 1_382_400


def chain() -> None:
    """Orders are invoiced, and invoices are collected."""
    source = OutboxSource("orders", {})
    invoices = IdempotentConsumer("invoices", {"publishes": True, "reconcile_index": True})
    collections = IdempotentConsumer("collections", {})
    Relay("orders", {"stream_arn": source.stream_arn, "queues": [invoices.queue]})
    assert invoices.stream_arn is not None
    relay = Relay("invoices", {"stream_arn": invoices.stream_arn, "queues": [collections.queue]})
    reconciler = Reconciler(
        "collections",
        {
            "source_table_name": invoices.projection_table_name,
            "index_name": invoices.index_name,
            "index_arn": invoices.index_arn,
            "projection_table_name": collections.projection_table_name,
            "projection_table_arn": collections.projection_table_arn,
            "queue_url": collections.queue_url,
            "queue_arn": collections.queue_arn,
        },
    )
    export_outbox(invoices, relay, collections, reconciler=reconciler, name="collections")


def variables(recording: Recording, function: str) -> dict[str, str]:
    found: dict[str, str] = recording.one(FUNCTION, function).inputs["environment"]["variables"]
    return found


def test_relay_and_reconciler_read_the_projection_of_a_consumer_that_publishes() -> None:
    recording = run(chain)

    table = recording.one(TABLE, "invoices-projection").inputs
    outbox = recording.exports["collections"]
    assert (table["streamEnabled"], table["streamViewType"]) == (True, "NEW_IMAGE")
    assert [each["name"] for each in table["globalSecondaryIndexes"]] == ["by-stored-minute"]
    assert variables(recording, "invoices-consumer-function")["RECONCILE_INDEX"] == "1"
    assert variables(recording, "collections-reconciler-function")["SOURCE_TABLE"].startswith(
        "invoices-projection"
    )
    assert outbox["source_table_name"].startswith("invoices-projection")
    assert outbox["projection_table_name"].startswith("collections-projection")
    assert outbox["command_function_name"].startswith("invoices-consumer")


def test_rows_of_a_consumer_that_publishes_may_expire() -> None:
    recording = run_consumer(publishes=True, outbox_row_lifetime_seconds=ROW_SECONDS)

    [table] = recording.of_type(TABLE)
    assert table.inputs["ttl"] == {"attributeName": "expires_at", "enabled": True}
    assert variables(recording, "sales-consumer-function")["OUTBOX_ROW_LIFETIME_SECONDS"] == str(ROW_SECONDS)


def test_consumer_that_publishes_nothing_has_no_stream_whatever_its_stack_says_of_rows() -> None:
    recording = run_consumer(reconcile_index=True, outbox_row_lifetime_seconds=ROW_SECONDS)

    [table] = recording.of_type(TABLE)
    assert {"streamEnabled", "globalSecondaryIndexes", "ttl"}.isdisjoint(table.inputs)
    assert variables(recording, "sales-consumer-function").keys() == {"PROJECTION_TABLE"}
