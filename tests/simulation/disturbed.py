"""Queues of which one call goes wrong, so that a poller or an operator may die in the middle of many."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.simulation.runs import described
from tools.simulation.faults import Fault, can_have, perform
from tools.simulation.sqs import Sqs
from tools.soak.system import System


class DisturbedSqs(Sqs):
    """The client of a system's queues; notes what went wrong."""

    def __init__(self, system: System, happened: Counter[str]) -> None:
        super().__init__([system.queue, system.dead_letters])
        self._happened = happened
        self._next: tuple[str, Fault, int] = ("", Fault.NONE, 0)
        self._calls_before = 0

    @contextmanager
    def disturbed(self, operation: str, fault: Fault, calls_before: int, entries: int) -> Iterator[None]:
        """One call of the operation in this block is made under a fault, after so many others."""
        self._next, self._calls_before = (operation, fault, entries), calls_before
        try:
            yield
        finally:
            self._next = ("", Fault.NONE, 0)

    def send_message_batch(self, **request: Any) -> dict[str, Any]:
        """Under the fault, if it is this call's."""
        return self._made("send_message_batch", super().send_message_batch, request)

    def delete_message_batch(self, **request: Any) -> dict[str, Any]:
        """Under the fault, if it is this call's."""
        return self._made("delete_message_batch", super().delete_message_batch, request)

    def _made(
        self, operation: str, call: Callable[..., dict[str, Any]], request: dict[str, Any]
    ) -> dict[str, Any]:
        disturbed_operation, fault, entries = self._next
        if operation != disturbed_operation:
            return call(**request)
        self._calls_before -= 1
        if self._calls_before != -1:
            return call(**request)
        if fault is not Fault.NONE and can_have(fault, operation, request):
            who = "operator's " if operation == "send_message_batch" else ""
            self._happened[who + described(operation, request, fault)] += 1
        return perform(operation, call, request, fault, entries)
