"""Bodies of a hundred thousand dead-letter messages, up to 1 MiB each, are not kept in memory."""

import weakref
from collections.abc import Callable
from typing import Any

import pytest

from outbox_cli.dead_letters.messages import list_dead_letters
from outbox_cli.dead_letters.redrive import move
from outbox_cli.queue_messages import READ_MOST
from outbox_cli.stack.deployed import Stack
from tests.outbox_cli.dead_letters.world import World, with_sqs

MESSAGES, A_CALL = 60, 10


class Body(str):  # a plain text cannot be watched
    """A body as it came over the wire."""

    __slots__ = ("__weakref__",)


class Watched:
    """Receives messages whose bodies are texts of their own, and notes how many of them are still kept."""

    def __init__(self, world: World) -> None:
        self._sqs = world.system.client("sqs")
        self._bodies: list[weakref.ref[Body]] = []
        self.kept_most = 0
        self.stack = with_sqs(world, receive_message=self._receive, send_message_batch=self._send)

    def _send(self, **request: Any) -> Any:
        for entry in request["Entries"]:
            entry["MessageBody"] = str(entry["MessageBody"])  # what the delivery queue keeps is its own
        return self._sqs.send_message_batch(**request)

    def _receive(self, **request: Any) -> Any:
        self.kept_most = max(self.kept_most, sum(each() is not None for each in self._bodies))
        answer = self._sqs.receive_message(**request)
        for message in answer.get("Messages", []):
            message["Body"] = Body(message["Body"])
            self._bodies.append(weakref.ref(message["Body"]))
        return answer


@pytest.mark.parametrize(
    "work",
    [
        lambda stack: list_dead_letters(stack, READ_MOST),
        lambda stack: move(stack, 500, sleep=lambda _: None),
    ],
    ids=["listed", "moved"],
)
def test_messages_read_by_the_thousand_keep_the_bodies_of_one_call_at_most(
    work: Callable[[Stack], object],
) -> None:
    world = World()
    for number in range(MESSAGES // 2):
        world.add(f"order-{number}", 5)
        world.add_refused(f"unreadable {number}")
    watched = Watched(world)

    found = work(watched.stack)

    assert found
    assert watched.kept_most == A_CALL
