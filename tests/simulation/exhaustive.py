"""Every interleaving of a small scope: no random choice, no schedule left out.

Scope: two orders, one of them sent twice at once; as many relay and consumer executions at once as there is
work for, up to two each; one crash, lost request, lost reply or dying poller anywhere. Time passes only when
nothing else can happen. States that differ in nothing that can matter later are visited once.
"""

import copy
from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from local.simulation.faults import Fault
from ops.soak.system import SystemSettings
from tests.simulation.invariants import check, check_end
from tests.simulation.schedules import Broken, Step
from tests.simulation.world import FAULTS, World

# A lane for each order: the hashes of their keys differ in the last bit.
SETTINGS = SystemSettings(parallelization=2)
ORDERS_SENT = (0, 0, 2)
Node = tuple[World, int, tuple[Step, ...]]


class Visited(NamedTuple):
    """How much there was to see."""

    states: int
    transitions: int
    ends: int


def visit_every_interleaving(faults_most: int) -> Visited:
    """Visit every reachable state and check it; at every end also that all is recovered.

    Raises:
        Broken: An invariant does not hold; says by which steps.
    """
    world = World(SETTINGS)
    for order in ORDERS_SENT:
        world.place(order, 0)
    seen = {_fingerprint(world, faults_most)}
    waiting: list[Node] = [(world, faults_most, ())]
    transitions = ends = 0
    while waiting:
        world, faults_left, steps = waiting.pop()
        moves = _moves(world, _ways(world))
        if not moves:
            moves = _moves(world, [Step("wait", (1,))])
            if not moves:
                ends += 1
                _checked(copy.deepcopy(world), steps, at_end=True)
        nodes: list[Node] = [(successor, faults_left, (*steps, step)) for step, successor in moves]
        if faults_left:
            faults = _moves(world, _faults(world))
            nodes += [(successor, faults_left - 1, (*steps, step)) for step, successor in faults]
        for successor, left, way in nodes:
            _checked(successor, way, at_end=False)
            transitions += 1
            fingerprint = _fingerprint(successor, left)
            if fingerprint not in seen:
                seen.add(fingerprint)
                waiting.append((successor, left, way))
    return Visited(len(seen), transitions, ends)


def _checked(world: World, steps: tuple[Step, ...], *, at_end: bool) -> None:
    try:
        if at_end:
            check_end(world)
        else:
            check(world)
    except Exception as error:
        started = [Step("place", (order, 0)) for order in ORDERS_SENT]
        raise Broken(SETTINGS, [*started, *steps], error) from error


def _ways(world: World) -> Iterator[Step]:
    """What can happen by itself."""
    running = sum(not run.is_done for run in world.runs)
    yield from (Step("run", (index,)) for index in range(running))
    yield from (Step("settle", (index,)) for index in range(len(world.runs) - running))
    yield from (Step("read_stream"), Step("receive"))


def _faults(world: World) -> Iterator[Step]:
    """What can go wrong."""
    for index in range(sum(not run.is_done for run in world.runs)):
        yield from (Step("kill", (index, 0)), Step("kill", (index, 1)))
        yield Step("run", (index, FAULTS.index(Fault.LOST_REPLY)))
    owned = sum(run.kind != "command" and run.is_owned for run in world.runs)
    yield from (Step("lose", (index,)) for index in range(owned))


def _moves(world: World, steps: Iterable[Step]) -> list[tuple[Step, World]]:
    """The steps that change anything, each with the world after it."""
    before = _fingerprint(world, 0)
    moves = []
    for step in steps:
        successor = _copied(world)
        getattr(successor, step.verb)(*step.numbers)
        if _fingerprint(successor, 0) != before:
            moves.append((step, successor))
    return moves


def _copied(world: World) -> World:
    frozen = (world.system.settings, world.consumer._mapping, world.relay._mapping)
    return copy.deepcopy(world, {id(each): each for each in frozen})


def _fingerprint(world: World, faults_left: int) -> Hashable:
    """All that can matter for what happens later; times only as far as they are over or not."""
    now = world.system.clock.now()
    queues = (world.system.queue, world.system.dead_letters)
    messages = [
        tuple((each.body, each.receives, each.visible_at <= now) for each in queue.messages.values())
        for queue in queues
    ]
    lanes = [
        (lane.first and lane.first.sequence_number, lane.due(now) is not None)
        for shard in world.relay.open_shards()
        for lane in shard._lanes
    ]
    runs = sorted(
        (
            run.kind,
            repr(run.invocation.event),
            len(run.invocation.replies),
            repr(run.invocation.result),
            run.is_owned,
        )
        for run in world.runs
    )
    return (
        faults_left,
        tuple(sorted(world.system.source.items)),
        repr(sorted(world.system.projection.items.items())),
        tuple(messages),
        tuple(world.positions.values()),
        tuple(lanes),
        tuple(runs),
    )
