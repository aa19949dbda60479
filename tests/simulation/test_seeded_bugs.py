"""The net catches fish: every bug that is put in is found by the very search that the clean code passes."""

from itertools import chain

import pytest

from tests.handlers import worst_courses
from tests.simulation import command_answers
from tests.simulation.command_answers import commits, marks, updates, writes
from tests.simulation.schedules import Broken
from tests.simulation.search import search
from tests.simulation.seeded_answers import ANSWER_BUGS
from tests.simulation.seeded_bugs import SEEDED_BUGS
from tests.simulation.seeded_rest import TIME_BUGS
from tests.simulation.seeding import SeededBug, seeded


@pytest.mark.thorough
@pytest.mark.parametrize("bug", SEEDED_BUGS, ids=lambda bug: bug.name.replace(" ", "-"))
def test_seeded_bug_is_found(bug: SeededBug) -> None:
    with seeded(bug), pytest.raises(Broken):
        search(shortens=False)


@pytest.mark.parametrize("bug", ANSWER_BUGS, ids=lambda bug: bug.name.replace(" ", "-"))
def test_seeded_bug_of_an_answer_is_found(bug: SeededBug) -> None:
    with seeded(bug), pytest.raises(AssertionError):
        command_answers.search(chain(commits(), updates(), writes(1), marks()))


@pytest.mark.thorough
@pytest.mark.parametrize("bug", TIME_BUGS, ids=lambda bug: bug.name.replace(" ", "-"))
def test_seeded_bug_of_time_is_found(bug: SeededBug) -> None:
    with seeded(bug), pytest.raises(AssertionError):
        worst_courses.search()
