"""The search: schedules drawn and shortened by hypothesis, the same for the clean code and for every seeded bug.

Each step is drawn as numbers. The first chooses a verb by its weight; if there is nothing for it to act on, the
next verb that has something takes its place, so that hardly a step is spent on nothing. What is kept and printed
are the verbs and numbers themselves, which play alike without any of this.
"""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.simulation.invariants import check_end
from tests.simulation.schedules import SETTINGS, Broken, Step, take
from tests.simulation.world import CONSUMERS_MOST, World
from tools.soak.system import SystemSettings

SCHEDULES = 1_500
STEPS_MOST = 50
# Those with the most to go wrong in them twice as often.
OFTEN = (*SETTINGS, *SETTINGS[-2:])
# The same schedules on every run of the suite.
SEARCH = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=SCHEDULES,
    stateful_step_count=STEPS_MOST,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def _always(_: World) -> object:
    return True


# Each verb of a world: how many numbers it takes, how often it is chosen, and when it has something to act on.
VERBS: dict[str, tuple[int, int, Callable[[World], object]]] = {
    "place": (2, 4, _always),
    "burst": (2, 5, _always),
    "run": (3, 24, lambda world: world.runs.running()),
    "run_on": (4, 6, lambda world: world.runs.running()),
    "kill": (2, 3, lambda world: world.runs.running()),
    "settle": (4, 12, lambda world: world.runs.ended()),
    "throttle": (1, 2, lambda world: world.runs.untouched()),
    "keep_failing": (1, 3, lambda world: any(run.kind == "relay" for run in world.runs.owned())),
    "lose": (1, 2, lambda world: world.runs.owned()),
    "read_stream": (0, 10, _always),
    "receive": (0, 10, lambda world: world.receivable() and _consumers(world) < CONSUMERS_MOST),
    "finish": (0, 2, lambda world: world.runs),
    "restart_relay": (1, 1, _always),
    "wait": (1, 8, _always),
    "redeliver": (1, 2, lambda world: world.system.queue.messages),
    "resurrect": (1, 1, lambda world: world.deleted),
    "reorder": (1, 1, lambda world: len(world.system.queue.messages) > 1),
    "send_again": (1, 2, World.rows),
    "send_conflicting": (1, 2, World.markers),
    "send_garbage": (1, 1, _always),
    "poison": (1, 3, _always),
    "touch": (1, 1, World.rows),
    "fault_flag": (1, 1, _always),
    "redrive": (0, 1, lambda world: world.system.dead_letters.messages),
    "reconcile": (3, 2, World.rows),
}
# Shuffled, so that no verb inherits all the turns of a neighbour that has nothing to act on.
TURNS = random.Random(6).sample(  # noqa: S311 - an order, no secret
    list(VERBS),
    k=sum(often for _, often, _ in VERBS.values()),
    counts=[often for _, often, _ in VERBS.values()],
)
# 0 is the oldest run and no fault: a third of all choices, so that events get far enough to be disturbed late.
NUMBERS = (*[0] * 6, *range(1, 9), 21, 341, 1022)
# Two draws for all of a step: hypothesis shortens a schedule by a few draws at a time, and so by whole steps; and
# it draws small numbers far more often where a range is much larger than this.
Pair = tuple[int, int]
PAIRS: list[Pair] = [(second, first) for first in NUMBERS for second in NUMBERS]


class Schedules(RuleBasedStateMachine):
    """Any interleaving of everything that can happen."""

    happened: Counter[str]
    """Over all schedules; a class of its own for each search."""

    @initialize(chosen=st.sampled_from(OFTEN))
    def begin(self, chosen: SystemSettings) -> None:
        """A world with nothing in it."""
        self.settings = chosen
        self.world = World(chosen)
        self.steps: list[Step] = []
        self.is_broken = False

    @rule(turn=st.integers(0, len(TURNS) - 1), first=st.sampled_from(PAIRS), second=st.sampled_from(PAIRS))
    def step(self, turn: int, first: Pair, second: Pair) -> None:
        """The next verb in turn that has something to act on."""
        verb = next(each for each in TURNS[turn:] + TURNS[:turn] if VERBS[each][2](self.world))
        chosen = (*first, *second)[: VERBS[verb][0]]
        self.steps.append(Step(verb, chosen))
        try:
            take(self.world, self.steps[-1], self.settings, self.steps)
        except Broken:
            self.is_broken = True
            raise

    def teardown(self) -> None:
        """Recover from everything, unless a step has failed already."""
        if not hasattr(self, "world") or self.is_broken:
            return
        try:
            check_end(self.world)
        except Exception as error:
            raise Broken(self.settings, self.steps, error) from error
        finally:
            self.happened.update(self.world.happened, schedules=1, steps=len(self.steps))


def search(*, shortens: bool = True) -> Counter[str]:
    """Play the schedules; tells how often what they are for has come about.

    Args:
        shortens: A schedule that fails is made as short as it can be, which takes a while.

    Raises:
        Broken: An invariant does not hold.
    """
    happened: Counter[str] = Counter()
    machine: Any = type("Schedules", (Schedules,), {"happened": happened})
    phases = [Phase.generate, Phase.shrink] if shortens else [Phase.generate]
    run_state_machine_as_test(machine, settings=settings(SEARCH, phases=phases))
    return happened


def _consumers(world: World) -> int:
    return sum(run.kind == "consumer" for run in world.runs)
