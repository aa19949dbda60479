"""Whatever goes wrong, in whatever order: nothing is lost and nothing is counted twice."""

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from ops.soak.system import SystemSettings
from tests.simulation.conftest import SCHEDULES, STEPS_MOST
from tests.simulation.exhaustive import visit_every_interleaving
from tests.simulation.invariants import check_end
from tests.simulation.schedules import NUMBERS, SETTINGS, VERBS, Broken, Step, parse, play, take
from tests.simulation.seeded_bugs import SEEDED_BUGS, seeded
from tests.simulation.world import World
from tests.taken import taken

STATES_LEAST = 5_000  # 5,687 when this was written: far fewer means that the search has lost its way
KEPT = sorted(Path(__file__).with_name("kept").glob("*.txt"))


class Schedules(RuleBasedStateMachine):
    """Any interleaving of everything that can happen, by chance; what fails is shortened by hypothesis."""

    @initialize(chosen=st.sampled_from(SETTINGS))
    def begin(self, chosen: SystemSettings) -> None:
        self.settings = chosen
        self.world = World(chosen)
        self.steps: list[Step] = []

    def take(self, verb: str, numbers: tuple[int, ...]) -> None:
        self.steps.append(Step(verb, numbers))
        take(self.world, self.steps[-1], self.settings, self.steps)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            try:
                check_end(self.world)
            except Exception as error:
                raise Broken(self.settings, self.steps, error) from error


def _rule_of(verb: str, count: int) -> object:
    numbers = st.tuples(*[st.sampled_from(NUMBERS)] * count)

    def step(self: Schedules, numbers: tuple[int, ...]) -> None:
        self.take(verb, numbers)

    step.__name__ = verb
    return rule(numbers=numbers)(step)


for _verb, (_count, _) in VERBS.items():
    setattr(Schedules, f"do_{_verb}", _rule_of(_verb, _count))


@pytest.mark.thorough
def test_schedules_by_chance_lose_nothing_and_count_nothing_twice() -> None:
    with taken("schedules", seconds_most=90, of="cpu_seconds", schedules=SCHEDULES, steps_most=STEPS_MOST):
        run_state_machine_as_test(Schedules, settings=settings.get_profile("schedules"))


@pytest.mark.thorough
def test_schedules_of_small_scope_hold_in_every_interleaving(capsys: pytest.CaptureFixture[str]) -> None:
    with taken("interleavings", seconds_most=90, of="cpu_seconds"):
        visited = visit_every_interleaving(faults_most=1)

    with capsys.disabled():
        print(f"\n{visited.states} states, {visited.transitions} steps between them, {visited.ends} ends")  # noqa: T201 - asked for
    assert visited.states > STATES_LEAST
    assert visited.ends > 0


def test_search_of_every_interleaving_finds_a_bug_that_is_there() -> None:
    with seeded(next(bug for bug in SEEDED_BUGS if bug.name == "no condition")), pytest.raises(Broken):
        visit_every_interleaving(faults_most=1)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
@pytest.mark.parametrize(
    "chosen", SETTINGS, ids=["one-by-one", "batched", "parallel", "impatient", "production"]
)
def test_schedule_kept_from_an_earlier_failure_holds(path: Path, chosen: SystemSettings) -> None:
    steps = parse(path.read_text())

    world = play(chosen, steps)

    assert world.system.source.items


def test_schedule_that_breaks_a_promise_is_told_as_steps_to_keep() -> None:
    steps = parse("place 0 0\nrun 0\nfinish  # it is applied")
    world = play(SETTINGS[0], steps)

    del world.system.projection.items["INBOX#order-created:a", "EVENT"]
    with pytest.raises(Broken) as broken:
        take(world, Step("receive"), SETTINGS[0], [*steps, Step("receive")])

    assert str(broken.value).splitlines()[-4:] == ["place 0 0", "run 0", "finish", "receive"]
    assert parse("\n".join(map(str, broken.value.steps))) == broken.value.steps
