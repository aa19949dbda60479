"""Every mixture of reasons for which a transaction can be cancelled, judged by an oracle apart from the code."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.simulation import consumer_answers
from tests.simulation.command_answers import Case, commits, marks, search, updates, writes
from tests.simulation.consumer_answers import Guard
from tests.simulation.vectors import PASSING, REFUSING


def _tell(capsys: pytest.CaptureFixture[str], count: int) -> None:
    capsys.readouterr()
    with capsys.disabled():
        print(f"\n{count} vectors of reasons")  # noqa: T201 - asked for


@pytest.mark.parametrize(
    ("cases", "least"),
    [
        (commits, 2_100),
        (updates, 1_200),
        (partial(writes, 1), 900),
        (partial(writes, 2), 20_000),
        (marks, 900),
    ],
    ids=["commit", "update", "one write", "two writes", "intent"],
)
def test_command_cancelled_for_any_mixture_of_reasons_answers_what_holds(
    capsys: pytest.CaptureFixture[str], cases: Callable[[], Iterator[Case]], least: int
) -> None:
    count = search(cases())

    _tell(capsys, count)
    assert count >= least


@pytest.mark.parametrize(
    ("guards", "codes", "least"),
    [
        pytest.param(("refuse",), 3, 2_900, id="refused"),
        pytest.param(("skip",), 3, 2_900, id="skipped"),
        pytest.param(("none", "none"), 3, 7_400, id="two"),
        pytest.param(("none", "none", "none"), 3, 170_000, id="three", marks=pytest.mark.thorough),
        pytest.param(("refuse", "none"), 3, 67_000, id="two refused", marks=pytest.mark.thorough),
        # One code that passes and one that refuses speak for the others here: the tests above tell none apart.
        pytest.param(
            ("refuse", "skip", "none"), 1, 116_000, id="three of all kinds", marks=pytest.mark.thorough
        ),
    ],
)
def test_consumer_cancelled_for_any_mixture_of_reasons_says_and_stores_what_holds(
    capsys: pytest.CaptureFixture[str], guards: tuple[Guard, ...], codes: int, least: int
) -> None:
    count = consumer_answers.search(guards, PASSING[:codes], REFUSING[:codes])

    _tell(capsys, count)
    assert count >= least
