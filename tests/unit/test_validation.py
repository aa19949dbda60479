"""Single values: what is accepted, and the sentence for what is not."""

import pulumi
import pytest

from components import limits
from components.validation import InvalidSettingError, OneOf, WholeNumber, flag, require_name, whole_number
from outbox.retry import RESERVE_SECONDS

RETRIES = limits.STREAM_MAXIMUM_RETRIES
AGE = limits.STREAM_MAXIMUM_RECORD_AGE_SECONDS
NUMBERS = [rule for rule in vars(limits).values() if isinstance(rule, WholeNumber)]


def test_refused_value_is_shown_without_a_traceback_and_is_still_a_wrong_value() -> None:
    assert issubclass(InvalidSettingError, pulumi.RunError)
    assert issubclass(InvalidSettingError, ValueError)


@pytest.mark.parametrize("rule", NUMBERS, ids=lambda rule: rule.field)
def test_number_absent_or_none_is_the_default(rule: WholeNumber) -> None:
    assert rule.read({}) == rule.read({rule.field: None}) == rule.default
    assert rule.minimum <= rule.default <= rule.maximum


@pytest.mark.parametrize("rule", NUMBERS, ids=lambda rule: rule.field)
def test_number_at_its_bounds_is_accepted_and_beyond_is_refused(rule: WholeNumber) -> None:
    assert rule.read({rule.field: rule.minimum}) == rule.minimum
    assert rule.read({rule.field: rule.maximum}) == rule.maximum
    for beyond in (rule.minimum - 2, rule.maximum + 1):
        with pytest.raises(
            InvalidSettingError,
            match=f"{rule.field} is {beyond}; accepted are {rule.minimum} to {rule.maximum}",
        ):
            rule.read({rule.field: beyond})


@pytest.mark.parametrize("value", [True, "60", 60.5, float("nan"), float("inf"), [60], object()])
def test_whole_number_of_another_type_is_refused_with_its_type(value: object) -> None:
    with pytest.raises(
        InvalidSettingError, match=rf"limit is .*\({type(value).__name__}\); accepted is a plain whole"
    ):
        whole_number("limit", value)


def test_whole_number_from_the_plugin_protocol_becomes_an_int() -> None:
    number = whole_number("limit", 60.0)

    assert (number, type(number)) == (60, int)


def test_one_of_refuses_a_number_between_its_steps() -> None:
    rule = OneOf(field="log_retention_days", default=1, accepted=(1, 3, 5))

    with pytest.raises(InvalidSettingError, match="log_retention_days is 2; accepted are 1, 3, 5"):
        rule.read({"log_retention_days": 2})


def test_flag_given_as_text_is_refused() -> None:
    with pytest.raises(
        InvalidSettingError, match=r"protect_tables is 'false' \(str\); accepted is true or false"
    ):
        flag({"protect_tables": "false"}, "protect_tables")


def test_choice_absent_or_none_is_the_default() -> None:
    assert limits.LOG_FORMAT.read({}) == limits.LOG_FORMAT.read({"log_format": None}) == "Text"


@pytest.mark.parametrize("value", ["", "text", 1, ["JSON"], True])
def test_choice_of_anything_else_is_refused_with_what_is_accepted(value: object) -> None:
    with pytest.raises(InvalidSettingError, match=r"log_format is .*; accepted are Text, JSON"):
        limits.LOG_FORMAT.read({"log_format": value})


@pytest.mark.parametrize("name", ["", "x" * 37, "orders and sales", "orders/sales", "bestellungen-ä"])
def test_name_that_aws_would_refuse_is_refused(name: str) -> None:
    with pytest.raises(InvalidSettingError, match=r"component name .* accepted are 1 to 36 letters"):
        require_name(name)


def test_b4_defaults_are_finite() -> None:
    assert (RETRIES.read({}), AGE.read({})) == (100, 3600)


def test_b4_zero_retries_stay_zero() -> None:
    assert RETRIES.read({"stream_maximum_retries": 0}) == 0


@pytest.mark.parametrize("rule", [RETRIES, AGE], ids=["retries", "age"])
def test_b4_without_limit_needs_an_explicit_request(rule: WholeNumber) -> None:
    with pytest.raises(
        InvalidSettingError, match=r"is -1, which means without limit: .* set allow_unlimited_retries"
    ):
        rule.read({rule.field: -1})

    assert rule.read({rule.field: -1}, allow_unlimited=True) == -1


@pytest.mark.parametrize("age", [0, 1, 30, 59, 604_801, -2])
def test_b4_age_outside_lambdas_range_is_refused(age: int) -> None:
    with pytest.raises(InvalidSettingError, match=f"record_age_seconds is {age}; accepted are 60 to 604800"):
        AGE.read({"stream_maximum_record_age_seconds": age}, allow_unlimited=True)


@pytest.mark.parametrize("rule", [limits.FUNCTION_TIMEOUT_SECONDS, limits.RECONCILER_TIMEOUT_SECONDS])
def test_shortest_timeout_has_time_for_own_work_and_the_handlers_slowest_call(rule: WholeNumber) -> None:
    assert limits.SLOWEST_CALL_SECONDS == RESERVE_SECONDS
    assert (
        RESERVE_SECONDS + limits.OWN_WORK_SECONDS
        <= rule.minimum
        < RESERVE_SECONDS + limits.OWN_WORK_SECONDS + 1
    )


@pytest.mark.parametrize("receives", [0, 1, 4])
def test_c5_few_receives_are_refused_with_the_reason(receives: int) -> None:
    with pytest.raises(
        InvalidSettingError, match=f"maximum_receives is {receives}; accepted are 5 .*throttles count"
    ):
        limits.MAXIMUM_RECEIVES.read({"maximum_receives": receives})
