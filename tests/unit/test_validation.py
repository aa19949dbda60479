"""Single values: what is accepted, and the sentence for what is not."""

import pulumi
import pytest

from components import limits
from components.relations import require_permission_for_unlimited
from components.validation import (
    Choice,
    InvalidSettingError,
    Row,
    Switch,
    WholeNumber,
    require_name,
    whole_number,
)
from outbox.retry import RESERVE_SECONDS

RETRIES = limits.STREAM_MAXIMUM_RETRIES
AGE = limits.STREAM_MAXIMUM_RECORD_AGE_SECONDS
NUMBERS = [rule for rule in limits.ROWS.values() if isinstance(rule, WholeNumber)]


def test_refused_value_is_shown_without_a_traceback_and_is_still_a_wrong_value() -> None:
    assert issubclass(InvalidSettingError, pulumi.RunError)
    assert issubclass(InvalidSettingError, ValueError)


@pytest.mark.parametrize("row", limits.ROWS.values(), ids=lambda row: row.field)
def test_setting_absent_or_none_is_its_default_which_it_takes(row: Row) -> None:
    default = list(row.default) if isinstance(row.default, tuple) else row.default

    assert row.read({}) == row.read({row.field: None}) == row.read({row.field: default}) == default


@pytest.mark.parametrize("row", limits.ROWS.values(), ids=lambda row: row.field)
@pytest.mark.parametrize("wrong", [object(), 0.5, "two words\n#", {}])
def test_setting_of_another_kind_is_refused_with_its_name_range_and_value(row: Row, wrong: object) -> None:
    with pytest.raises(InvalidSettingError, match=f"{row.field} must be .*, but is "):
        row.read({row.field: wrong})


@pytest.mark.parametrize("rule", NUMBERS, ids=lambda rule: rule.field)
def test_number_at_its_bounds_is_taken_and_beyond_is_refused(rule: WholeNumber) -> None:
    assert rule.read({rule.field: rule.minimum}) == rule.minimum
    assert rule.read({rule.field: rule.maximum}) == rule.maximum
    for beyond in (rule.minimum - 3, rule.maximum + 1):
        with pytest.raises(InvalidSettingError, match=f"{rule.field} must be {rule.range}, but is {beyond}"):
            rule.read({rule.field: beyond})


@pytest.mark.parametrize("value", [True, "60", 60.5, float("nan"), float("inf"), [60], object()])
def test_whole_number_of_another_type_is_refused_with_its_type(value: object) -> None:
    with pytest.raises(
        InvalidSettingError, match=rf"limit must be a plain whole number, but is .*\({type(value).__name__}\)"
    ):
        whole_number("limit", value)


def test_whole_number_from_the_plugin_protocol_becomes_an_int() -> None:
    number = whole_number("limit", 60.0)

    assert (number, type(number)) == (60, int)


def test_choice_of_numbers_refuses_one_between_its_steps() -> None:
    rule = Choice(field="log_retention_days", default=1, values=(1, 3, 5))

    with pytest.raises(InvalidSettingError, match="log_retention_days must be one of 1, 3, 5, but is 2"):
        rule.read({"log_retention_days": 2})


def test_switch_given_as_text_is_refused() -> None:
    with pytest.raises(
        InvalidSettingError, match=r"protect_tables must be true or false, but is 'false' \(str\)"
    ):
        Switch(field="protect_tables").read({"protect_tables": "false"})


@pytest.mark.parametrize("value", ["", "text", 1, ["JSON"], True])
def test_choice_of_anything_else_is_refused_with_what_it_may_be(value: object) -> None:
    with pytest.raises(InvalidSettingError, match=r"log_format must be one of Text, JSON, but is "):
        limits.LOG_FORMAT.read({"log_format": value})


@pytest.mark.parametrize("name", ["", "x" * 37, "orders and sales", "orders/sales", "bestellungen-ä"])
def test_name_that_aws_would_refuse_is_refused(name: str) -> None:
    with pytest.raises(InvalidSettingError, match=r"component name must be 1 to 36 letters"):
        require_name(name)


def test_limits_of_the_stream_are_finite_by_default() -> None:
    assert (RETRIES.read({}), AGE.read({})) == (10_000, 86_400)


def test_zero_retries_stay_zero() -> None:
    assert RETRIES.read({"stream_maximum_retries": 0}) == 0


@pytest.mark.parametrize(
    "unlimited", [{"retries": -1, "record_seconds": 60}, {"retries": 0, "record_seconds": -1}]
)
def test_limit_is_lifted_only_on_explicit_request(unlimited: dict[str, int]) -> None:
    with pytest.raises(
        InvalidSettingError, match=r"is -1, which means without limit: .* set allow_unlimited_retries"
    ):
        require_permission_for_unlimited(**unlimited, is_allowed=False)

    require_permission_for_unlimited(**unlimited, is_allowed=True)


@pytest.mark.parametrize("age", [0, 1, 30, 59, 604_801, -2])
def test_record_age_outside_lambdas_range_is_refused(age: int) -> None:
    with pytest.raises(
        InvalidSettingError, match=f"record_age_seconds must be 60 to 604800, .* but is {age}"
    ):
        AGE.read({"stream_maximum_record_age_seconds": age})


def test_shortest_timeout_has_time_for_own_work_and_the_handlers_slowest_call() -> None:
    minimum = limits.FUNCTION_TIMEOUT_SECONDS.minimum

    assert limits.SLOWEST_CALL_SECONDS == RESERVE_SECONDS
    assert (
        RESERVE_SECONDS + limits.OWN_WORK_SECONDS <= minimum < RESERVE_SECONDS + limits.OWN_WORK_SECONDS + 1
    )


@pytest.mark.parametrize("receives", [0, 1, 4])
def test_c5_few_receives_are_refused_with_the_reason(receives: int) -> None:
    with pytest.raises(
        InvalidSettingError, match=f"maximum_receives must be 5 to 1000, but is {receives}: .*throttles count"
    ):
        limits.MAXIMUM_RECEIVES.read({"maximum_receives": receives})
