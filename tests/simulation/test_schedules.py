"""Schedules of faults, in any order: nothing is lost and nothing is counted twice."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.exhaustive import visit_every_interleaving
from tests.simulation.schedules import SETTINGS, Broken, Step, parse, play, take
from tests.simulation.search import SCHEDULES, STEPS_MOST, search
from tests.simulation.seeded_bugs import SEEDED_BUGS
from tests.simulation.seeding import seeded
from tests.taken import FOLDER, taken
from tools.simulation.faults import Fault, can_have
from tools.soak.system import SystemSettings

STATES_LEAST = 5_000  # 5,687 when this was written: far fewer means that the search has lost its way
STEPS_OF_A_SHORT_SCHEDULE = 4  # two commands, and what makes them meet
KEPT = sorted(Path(__file__).with_name("kept").glob("*.txt"))


def faults_of(operation: str) -> set[Fault]:
    """The ways for a call of two entries to go wrong."""
    request: dict[str, Any] = {} if operation == "transact_write_items" else {"Entries": [{}, {}]}
    return {fault for fault in Fault if fault is not Fault.NONE and can_have(fault, operation, request)}


# What the search must have disturbed, at least so often: a third of what was seen when this was written, or less. A net
# that has become blind catches nothing and is green all the same; these floors are how it shows. Each counts all that
# begins with its words.
FLOORS = {
    "schedules": SCHEDULES,
    "steps": SCHEDULES * 45,
    **{f"{function} killed": 130 for function in ("command", "relay", "consumer")},
    **{f"{function} not invoked": 40 for function in ("relay", "consumer")},
    **{f"{function} without time for another try": 35 for function in ("command", "relay", "consumer")},
    "time used up between calls": 35,
    "batch halved": 100,
    "records abandoned: RetryAttemptsExhausted": 20,
    "records abandoned: RecordAgeExceeded": 300,
    **{f"transact_write_items: {fault.name}": 120 for fault in faults_of("transact_write_items")},
    **{f"transact_write_items of many: {fault.name}": 20 for fault in faults_of("transact_write_items")},
    **{
        f"send_message_batch: {fault.name}": 30
        for fault in faults_of("send_message_batch") - {Fault.REFUSED_CALL}
    },
    **{f"send_message_batch of many: {fault.name}": 25 for fault in faults_of("send_message_batch")},
    **{
        f"operator's send_message_batch of many: {fault.name}": 8 for fault in faults_of("send_message_batch")
    },
    "delete_message_batch of many": 20,
}


@pytest.mark.thorough
def test_schedules_by_chance_lose_nothing_and_count_nothing_twice() -> None:
    with taken("schedules", seconds_most=90, of="cpu_seconds", schedules=SCHEDULES, steps_most=STEPS_MOST):
        happened = search()

    (FOLDER / "schedules-happened.json").write_text(json.dumps(happened, indent=2, sort_keys=True) + "\n")
    seen = {what: sum(count for each, count in happened.items() if each.startswith(what)) for what in FLOORS}
    assert {what: seen[what] for what, floor in FLOORS.items() if seen[what] < floor} == {}


@pytest.mark.thorough
def test_schedule_that_fails_is_shortened_to_the_steps_that_matter() -> None:
    bug = next(each for each in SEEDED_BUGS if each.name == "any cancellation means accepted before")

    with seeded(bug), pytest.raises(Broken) as broken:
        search()

    assert len(broken.value.steps) <= STEPS_OF_A_SHORT_SCHEDULE
    assert str(broken.value).splitlines()[2:] == [str(step) for step in broken.value.steps]


@pytest.mark.thorough
def test_schedules_of_small_scope_hold_in_every_interleaving(capsys: pytest.CaptureFixture[str]) -> None:
    with taken("interleavings", seconds_most=90, of="cpu_seconds"):
        visited = visit_every_interleaving(faults_most=1)

    with capsys.disabled():
        print(f"\n{visited.states} states, {visited.transitions} steps between them, {visited.ends} ends")  # noqa: T201 - asked for
    assert visited.states > STATES_LEAST
    assert visited.ends > 0


@pytest.mark.thorough
def test_search_of_every_interleaving_finds_a_bug_that_is_there() -> None:
    with seeded(next(bug for bug in SEEDED_BUGS if bug.name == "no condition")), pytest.raises(Broken):
        visit_every_interleaving(faults_most=1)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
@pytest.mark.parametrize(
    "chosen",
    SETTINGS,
    ids=["one-by-one", "batched", "parallel", "impatient", "production", "halving", "hurried"],
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
