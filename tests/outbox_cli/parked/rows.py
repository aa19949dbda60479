"""Rows that no queue accepts, and the right body of their event."""

from collections.abc import Callable
from typing import Any

import orders

EVENT = "order-created:a"
RIGHT = orders.event_of(orders.Order("a", 700)).body
BROKEN: dict[str, Any] = {"S": "bell \u0007"}

Typed = Callable[..., tuple[int, str, str]]
