"""Schedules: lists of steps, played on a world with the invariants checked after each."""

from collections.abc import Sequence
from typing import NamedTuple

from outbox.retry import RESERVE_SECONDS
from tests.simulation.invariants import check, check_end
from tests.simulation.world import World
from tools.soak.system import SystemSettings

SETTINGS = (
    SystemSettings(),
    SystemSettings(stream_batch=3, queue_batch=2, receives_most=2),
    SystemSettings(stream_batch=12, queue_batch=3, parallelization=2, bisects=True),
    SystemSettings(stream_batch=3, queue_batch=3, retries=1),
    # As in production: several shards of everything, batches that windows gather.
    SystemSettings(
        shards=2,
        stream_batch=100,
        stream_window_seconds=1,
        parallelization=2,
        bisects=True,
        retries=10_000,
        record_age_seconds=86_400,
        queue_batch=99,
        queue_window_seconds=1,
        aggregate_shards=4,
    ),
    # Batches that are halved again and again, and abandoned soon; deletions of more than one call.
    SystemSettings(
        stream_batch=12,
        bisects=True,
        retries=1,
        queue_batch=30,
        queue_window_seconds=1,
        receives_most=2,
    ),
    # Functions whose time is used up after a call.
    SystemSettings(
        stream_batch=12,
        queue_batch=12,
        queue_window_seconds=1,
        function_timeout_seconds=RESERVE_SECONDS + 0.05,
    ),
)


class Step(NamedTuple):
    """One step: a verb of the world and its numbers."""

    verb: str
    numbers: tuple[int, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.verb, *map(str, self.numbers)])


class Broken(AssertionError):  # noqa: N818 - what happened to the promise
    """A schedule after which an invariant does not hold; its text is the schedule, ready to be kept."""

    def __init__(self, settings: SystemSettings, steps: Sequence[Step], cause: BaseException) -> None:
        self.steps = list(steps)
        lines = "\n".join(map(str, steps))
        super().__init__(f"{cause}\n{settings}\n{lines}")


def parse(text: str) -> list[Step]:
    """Steps from text, one a line; what follows a `#` is a remark."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return [Step(words[0], tuple(map(int, words[1:]))) for words in lines if words]


def play(settings: SystemSettings, steps: Sequence[Step]) -> World:
    """Run a schedule from nothing to the end of all recovery.

    Raises:
        Broken: An invariant does not hold, or a step failed.
    """
    world = World(settings)
    for count, step in enumerate(steps, start=1):
        take(world, step, settings, steps[:count])
    try:
        check_end(world)
    except Exception as error:
        raise Broken(settings, steps, error) from error
    return world


def take(world: World, step: Step, settings: SystemSettings, steps: Sequence[Step]) -> None:
    """Take one step and check; `steps` are those up to and with this one."""
    try:
        getattr(world, step.verb)(*step.numbers)
        check(world)
    except Exception as error:
        raise Broken(settings, steps, error) from error
