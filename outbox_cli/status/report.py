"""Everything that `outbox status` knows of a stack: tables, totals, queues and mappings, read one after the other."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from outbox_cli.domain import domain_of
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.metrics import newest_values
from outbox_cli.status.stored import QueueCounts, count_messages, read_amounts
from outbox_cli.status.table_counts import PAGES_COUNTED_UNASKED, TableCount, count_items

TABLES = ("source", "projection")
MAPPED = ("relay", "consumer")


@dataclass(frozen=True)
class MappingState:
    """State of an event source mapping, in Lambda's own words."""

    state: str
    """`Enabled`, `Disabled`, or on the way to one of them."""
    last_result: str
    """How its last batch ended; `No records processed` before the first."""


@dataclass(frozen=True)
class StackStatus:
    """A stack at about one moment; None is what is not known."""

    stack: str
    read_at: datetime
    tables: dict[str, TableCount]
    totals: dict[str, int]
    """Empty where the domain is not known."""
    queue: QueueCounts
    dead_letter_queue: QueueCounts
    oldest_message_seconds: dict[str, float | None]
    """By `queue` and `dead_letter_queue`."""
    mappings: dict[str, MappingState]
    """By the function that each calls."""
    iterator_lag_ms: float | None


def read_status(
    stack: Stack,
    *,
    count_all: bool = False,
    on_progress: Callable[[str], None] = lambda _: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> StackStatus:
    """Reads a stack's status.

    Args:
        stack: where to look.
        count_all: count the items of the tables one by one, however many there are.
        on_progress: told what is being counted.
        now: the time.
    """
    read_at = now()
    most_pages = None if count_all else PAGES_COUNTED_UNASKED
    tables: dict[str, TableCount] = {}
    for table in TABLES:

        def counted(items: int, table: str = table) -> None:
            on_progress(f"{items} items of the {table} table counted ...")

        tables[table] = count_items(
            stack, stack[f"{table}_table_name"], most_pages=most_pages, on_progress=counted
        )
    metrics = newest_values(stack, read_at)
    return StackStatus(
        stack=stack.name,
        read_at=read_at,
        tables=tables,
        totals=read_amounts(stack, domain_of(stack)),
        queue=count_messages(stack, stack["queue_url"]),
        dead_letter_queue=count_messages(stack, stack["dead_letter_queue_url"]),
        oldest_message_seconds={name: metrics[name] for name in ("queue", "dead_letter_queue")},
        mappings={name: read_mapping(stack, name) for name in MAPPED},
        iterator_lag_ms=metrics["iterator"],
    )


def read_mapping(stack: Stack, function: str) -> MappingState:
    """The state of the mapping that calls a function.

    https://docs.aws.amazon.com/lambda/latest/api/API_GetEventSourceMapping.html
    """
    found = stack.clients("lambda").get_event_source_mapping(UUID=stack[f"{function}_mapping_uuid"])
    return MappingState(found["State"], found.get("LastProcessingResult") or "not known")


def status_as_json(status: StackStatus) -> dict[str, Any]:
    """The status as one object; what is not known is null."""
    answer = asdict(status) | {"read_at": status.read_at.isoformat(timespec="milliseconds")}
    for queue, seconds in answer.pop("oldest_message_seconds").items():
        answer[queue]["oldest_message_seconds"] = seconds
    return answer
