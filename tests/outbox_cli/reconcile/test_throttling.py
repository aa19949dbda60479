"""Reconciliation while DynamoDB leaves some of what it is asked for unread, or all."""

from typing import Any

import pytest

from outbox.retry import RESERVE_SECONDS, Backoff
from outbox_cli.errors import OperatorError
from outbox_cli.reconcile.search import reconcile
from outbox_cli.stack.deployed import Stack
from tests.outbox_cli.dead_letters.world import Changed
from tests.outbox_cli.reconcile.orders_on_their_way import accept, consume_all, relay


def test_reconcile_asks_again_for_what_dynamodb_leaves_unprocessed(stack: Stack) -> None:
    for number in range(3):
        accept(stack, f"o-{number}", 100)
        relay(stack, f"o-{number}")
    consume_all(stack)
    throttled = Throttled(stack.clients("dynamodb"))
    clients = {"dynamodb": throttled, "sqs": stack.clients("sqs")}

    found = reconcile(Stack("test", stack.outputs, clients.__getitem__), segments=1)

    assert (found.applied, found.lost.count) == (3, 0)
    assert throttled.calls == 3


def test_reconcile_whose_reads_stay_unanswered_is_one_sentence_with_the_next_step(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(stack, "a", 100)
    # Time for a call, and for no pause before another one.
    monkeypatch.setattr(Backoff, "lasting", lambda _: Backoff(lambda: RESERVE_SECONDS))
    silent = Changed(
        stack.clients("dynamodb"),
        batch_get_item=lambda **request: {"Responses": {}, "UnprocessedKeys": request["RequestItems"]},
    )
    clients = {"dynamodb": silent, "sqs": stack.clients("sqs")}

    with pytest.raises(OperatorError, match=r"keeps the reads waiting \(1 of 1 markers.*fewer --segments"):
        reconcile(Stack("test", stack.outputs, clients.__getitem__))


class Throttled:
    """A DynamoDB that answers for one key of each batch."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.calls = 0

    def __getattr__(self, operation: str) -> Any:
        return getattr(self._client, operation)

    def batch_get_item(self, **request: Any) -> Any:
        self.calls += 1
        [(table, asked)] = request["RequestItems"].items()
        answer = self._client.batch_get_item(RequestItems={table: asked | {"Keys": asked["Keys"][:1]}})
        if rest := asked["Keys"][1:]:
            answer["UnprocessedKeys"] = {table: asked | {"Keys": rest}}
        return answer
