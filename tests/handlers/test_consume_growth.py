"""The work for a batch grows with its size and no faster, whatever its events have in common."""

from collections.abc import Callable
from typing import Any

import pytest

from outbox import transaction
from outbox.apply import apply_once
from outbox.effects import Add, Put
from outbox.items import Key
from outbox.transaction import IncomingEvent
from tests.handlers.support import Clock, Recorder

STORED: dict[str, Any] = {}


def _looks(monkeypatch: pytest.MonkeyPatch, make: Callable[[int], IncomingEvent], size: int) -> int:
    """How often an event was looked at for a transaction, until all of so many were applied."""
    looks = 0
    fit = transaction._changed_writes

    def counted(*arguments: Any) -> Any:
        nonlocal looks
        looks += 1
        return fit(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(transaction, "_changed_writes", counted)
        outcomes = apply_once(
            Recorder(None, default=STORED),  # type: ignore[arg-type] # stands for a client
            table="table",
            events=[make(number) for number in range(size)],
            backoff=Clock().backoff(),
        )
    assert outcomes == ["APPLIED"] * size
    return looks


@pytest.mark.parametrize(
    ("make", "size", "most"),
    [
        (lambda n: IncomingEvent.of(f"{n}", {}, [Add(Key("T", "N"), {"n": 1})]), 10_000, 1),
        (lambda n: IncomingEvent.of(f"{n}", {}, [Add(Key("T", "N"), {"n": 1}, {"c": f"{n % 2}"})]), 5_000, 3),
        (
            lambda n: IncomingEvent.of(f"{n}", {}, [Put({"PK": f"{n}#{e}", "SK": "S"}) for e in range(50)]),
            120,
            101,
        ),
    ],
    ids=["merged", "every-second-merged", "none-fits-another"],
)
def test_event_of_a_large_batch_is_looked_at_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[int], IncomingEvent], size: int, most: int
) -> None:
    assert _looks(monkeypatch, make, size) <= most * size
