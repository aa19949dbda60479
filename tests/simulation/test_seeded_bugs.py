"""The net catches fish: every bug that is put in is found by the same schedules and the same invariants."""

import random

import pytest

from tests.simulation.schedules import SETTINGS, Broken, play, random_steps
from tests.simulation.seeded_bugs import SEEDED_BUGS, SeededBug, seeded

SCHEDULES_MOST = 2_000
STEPS = 50


def _first_broken() -> Broken | None:
    """The first schedule, of an endless but always equal row of them, that breaks an invariant."""
    for seed in range(SCHEDULES_MOST):
        rng = random.Random(seed)  # noqa: S311 - schedules, no secrets
        try:
            play(rng.choice(SETTINGS), random_steps(rng, STEPS))
        except Broken as broken:
            return broken
    return None


@pytest.mark.parametrize("bug", SEEDED_BUGS, ids=lambda bug: bug.name.replace(" ", "-"))
def test_seeded_bug_is_found(bug: SeededBug) -> None:
    with seeded(bug):
        broken = _first_broken()

    assert broken is not None, f"{bug.name}: not found by {SCHEDULES_MOST} schedules"
