"""Every interleaving of a small scope: no random choice, no schedule left out.

Scope: two orders, one of them sent twice at once; as many relay and consumer executions at once as there is
work for, up to two each; messages received in any order; one crash, lost reply or dying poller anywhere. Time
passes only when nothing else can happen. States that differ in nothing that can matter later are visited once.
"""

import io
import logging
import pickle
import sys
import types
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple

from outbox_local.event_sources import Mapping, filters
from outbox_local.event_sources.events import StreamRecord
from tests.simulation.invariants import check, check_end
from tests.simulation.runs import Run
from tests.simulation.schedules import Broken, Step
from tests.simulation.world import FAULTS, World
from tools.simulation.faults import Fault
from tools.simulation.invocation import PendingCall, Reply
from tools.simulation.sqs import Message
from tools.soak.system import SystemSettings

# A concurrent batch for each order: the hashes of their keys differ in the last bit.
SETTINGS = SystemSettings(parallelization=2)
ORDERS_SENT = (0, 0, 2)

# Frozen all of them; filters are compiled to closures, and no other closure may be shared by the worlds.
UNCHANGING = {Mapping, Message, PendingCall, Reply, StreamRecord, SystemSettings}

Steps = tuple[Step, ...]
Node = tuple["Snapshot", int, Steps]


class Visited(NamedTuple):
    """How much there was to see."""

    states: int
    transitions: int
    ends: int


class Snapshot:
    """A world kept as bytes, from which any number of equal worlds can be made."""

    def __init__(self, world: World) -> None:
        buffer = io.BytesIO()
        pickler = pickle.Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL)
        pickler.persistent_id = _shared.keep  # type: ignore[method-assign]  # documented as an attribute too
        pickler.dump(world)
        self._bytes = buffer.getvalue()

    def world(self) -> World:
        """A world of its own."""
        unpickler = pickle.Unpickler(io.BytesIO(self._bytes))  # noqa: S301 - our own bytes
        unpickler.persistent_load = _shared.found  # type: ignore[method-assign]  # as above
        world: World = unpickler.load()
        return world


class _Shared:
    """Objects that never change and are not written down: every world refers to the same ones."""

    def __init__(self) -> None:
        self._by_id: dict[int, Any] = {}

    def keep(self, value: Any) -> int | None:
        is_filter = isinstance(value, types.FunctionType) and value.__module__ == filters.__name__
        if type(value) not in UNCHANGING and not is_filter:
            return None
        self._by_id[id(value)] = value
        return id(value)

    def found(self, key: int) -> Any:
        return self._by_id[key]


_shared = _Shared()


def visit_every_interleaving(faults_most: int) -> Visited:
    """Visit every reachable state and check it; at every end also that all is recovered.

    Raises:
        Broken: An invariant does not hold; says by which steps.
    """
    world = World(SETTINGS)
    for order in ORDERS_SENT:
        world.place(order, 0)
    seen = {_fingerprint(world, faults_most)}
    waiting: list[Node] = [(Snapshot(world), faults_most, ())]
    transitions = ends = 0
    while waiting:
        snapshot, faults_left, steps = waiting.pop()
        world = snapshot.world()
        here = _fingerprint(world, 0)
        moves = _moves(snapshot, here, _ways(world)) or _moves(snapshot, here, [(Step("wait", (1,)),)])
        if not moves:
            ends += 1
            _checked(world, steps, at_end=True)
        nodes = [(successor, faults_left, (*steps, *way)) for way, successor in moves]
        if faults_left:
            faults = _moves(snapshot, here, _faults(world))
            nodes += [(successor, faults_left - 1, (*steps, *way)) for way, successor in faults]
        for successor, left, way in nodes:
            transitions += 1
            fingerprint = _fingerprint(successor, left)
            if fingerprint not in seen:
                seen.add(fingerprint)
                waiting.append((Snapshot(successor), left, way))
            _checked(successor, way, at_end=False)
    return Visited(len(seen), transitions, ends)


def _checked(world: World, steps: Steps, *, at_end: bool) -> None:
    try:
        if at_end:
            check_end(world)
        else:
            check(world)
    except Exception as error:
        started = [Step("place", (order, 0)) for order in ORDERS_SENT]
        raise Broken(SETTINGS, [*started, *steps], error) from error


def _ways(world: World) -> Iterator[Steps]:
    """Steps that can happen by themselves."""
    running = sum(not run.is_done for run in world.runs)
    yield from ((Step("run", (index,)),) for index in range(running))
    yield from ((Step("settle", (index,)),) for index in range(len(world.runs) - running))
    yield (Step("read_stream"),)
    yield from (
        (Step("reorder", (index,)), Step("receive")) for index in range(len(world.system.queue.messages))
    )


def _faults(world: World) -> Iterator[Steps]:
    """Steps that go wrong."""
    for index in range(sum(not run.is_done for run in world.runs)):
        yield (Step("kill", (index, 0)),)
        yield (Step("kill", (index, 1)),)
        yield (Step("run", (index, FAULTS.index(Fault.LOST_REPLY))),)
    owned = sum(run.kind != "command" and run.is_owned for run in world.runs)
    yield from ((Step("lose", (index,)),) for index in range(owned))


def _moves(snapshot: Snapshot, before: Hashable, ways: Iterable[Steps]) -> list[tuple[Steps, World]]:
    """The ways that change anything, each with the world after it."""
    moves = []
    for way in ways:
        successor = snapshot.world()
        for step in way:
            getattr(successor, step.verb)(*step.numbers)
        if _fingerprint(successor, 0) != before:
            moves.append((way, successor))
    return moves


def _fingerprint(world: World, faults_left: int) -> Hashable:
    """All that can matter for what happens later; times only as far as they are over or not."""
    now = world.system.clock.now()
    queues = (world.system.queue, world.system.dead_letters)
    messages = [
        tuple(sorted((each.body, each.receives, each.visible_at <= now) for each in queue.messages.values()))
        for queue in queues
    ]
    concurrent_batches = [
        (concurrent.first and concurrent.first.sequence_number, concurrent.due(now) is not None)
        for shard in world.relay.open_shards()
        for concurrent in shard._concurrent_batches
    ]
    total = world.system.projection.items.get(("SALES", "TOTAL"), {})
    return (
        faults_left,
        tuple(sorted(world.system.source.items)),
        tuple(sorted(world.system.projection.items)),
        repr(total),
        tuple(messages),
        tuple(world.positions.values()),
        tuple(concurrent_batches),
        tuple(sorted(_run_fingerprint(world, run) for run in world.runs if run.is_owned or not run.is_done)),
    )


def _run_fingerprint(world: World, run: Run) -> tuple[Any, ...]:
    """A run by what it works on and how it ended, and a consumer's also by whether it may still delete."""
    result = run.invocation.result
    has_failed = result and (
        result.function_error is not None or b'"batchItemFailures": []' not in result.payload
    )
    if run.kind == "command":
        subject = run.invocation.event["order_id"]
    elif run.kind == "relay":
        subject = run.records[0]["dynamodb"]["NewImage"]["event_id"]["S"]
    else:
        message = world.system.queue.messages.get(run.records[0]["messageId"])
        is_current = message is not None and message.receipt_handle == run.records[0]["receiptHandle"]
        subject = (run.records[0]["body"], is_current)
    return run.kind, str(subject), len(run.invocation.replies), str(has_failed), run.is_owned


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # what event sources give up is part of the faults
    found = visit_every_interleaving(1)
    sys.stdout.write(f"{found.states} states, {found.transitions} steps between them, {found.ends} ends\n")
