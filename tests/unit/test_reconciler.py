"""The reconciler component: what it registers, what it refuses."""

from typing import Any

import pytest

from components.validation import InvalidSettingError
from outbox.settings import whole_number
from tests.unit.aws_mocks import FUNCTION, PERMISSION, SCHEDULE, TARGET
from tests.unit.builders import run_reconciler


@pytest.mark.parametrize(("minutes", "expression"), [(1, "rate(1 minute)"), (15.0, "rate(15 minutes)")])
def test_schedule_of_an_interval_is_a_rate(minutes: float, expression: str) -> None:
    recording = run_reconciler(reconciler_interval_minutes=minutes)

    [schedule] = recording.of_type(SCHEDULE)
    [function] = recording.of_type(FUNCTION)
    assert schedule.inputs["scheduleExpression"] == expression
    assert function.inputs["environment"]["variables"]["RECONCILE_INTERVAL_MINUTES"] == str(int(minutes))


def test_target_waits_for_the_permission_to_invoke() -> None:
    recording = run_reconciler()

    [target], [permission] = recording.of_type(TARGET), recording.of_type(PERMISSION)
    assert permission.urn in target.dependencies


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"index_name": None},
            "index_name and index_arn must be those of a table with an index",
        ),
        ({"index_arn": None}, "index_name and index_arn must be those of a table"),
        (
            {"reconciler_margin_seconds": 86_400, "reconciler_horizon_seconds": 3600},
            "reconciler_horizon_seconds must be 172800 or more, but is 3600: 2 x reconciler_margin_seconds",
        ),
    ],
)
def test_reconciler_that_could_not_work_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidSettingError, match=sentence):
        run_reconciler(**changes)


@pytest.mark.parametrize(
    ("given", "epoch"),
    [
        ("2026-09-05T12:00", "1788609600"),
        ("2026-09-05T14:00+02:00", "1788609600"),
        ("2026-09-05", "1788566400"),
        ("1788609600", "1788609600"),
    ],
)
def test_start_reaches_the_function_in_epoch_seconds(given: str, epoch: str) -> None:
    recording = run_reconciler(reconciler_start=given)

    [function] = recording.of_type(FUNCTION)
    variables = function.inputs["environment"]["variables"]
    assert variables["RECONCILE_START"] == epoch
    assert whole_number(variables, "RECONCILE_START") == int(epoch)


@pytest.mark.parametrize("given", [None, ""])
def test_reconciler_without_a_start_has_no_variable_of_it(given: str | None) -> None:
    recording = run_reconciler(reconciler_start=given)

    [function] = recording.of_type(FUNCTION)
    assert "RECONCILE_START" not in function.inputs["environment"]["variables"]


@pytest.mark.parametrize(
    "given", ["yesterday", "1788609600000", "1969-12-31", "-1", "0001-01-01", "\u0661", "26h", 1.5, True]
)
def test_start_that_is_no_time_is_refused(given: Any) -> None:
    with pytest.raises(
        InvalidSettingError, match="reconciler_start must be a time such as 2026-09-05T12:00Z"
    ):
        run_reconciler(reconciler_start=given)
