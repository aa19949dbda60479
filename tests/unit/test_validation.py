"""Single values: what is accepted, and the sentence for what is not."""

import pulumi
import pytest

from components import limits
from components.validation import (
    InvalidSettingError,
    Row,
    WholeNumber,
    require_name,
    whole_number,
)
from outbox.retry import RESERVE_SECONDS

NUMBERS = [rule for rule in limits.ROWS.values() if isinstance(rule, WholeNumber)]


def test_refused_value_is_shown_without_a_traceback_and_is_still_a_wrong_value() -> None:
    assert issubclass(InvalidSettingError, pulumi.RunError)
    assert issubclass(InvalidSettingError, ValueError)


@pytest.mark.parametrize("row", limits.ROWS.values(), ids=lambda row: row.field)
def test_setting_absent_or_none_is_its_default_which_it_takes(row: Row) -> None:
    assert row.read({}) == row.read({row.field: None}) == row.read({row.field: row.default}) == row.default


@pytest.mark.parametrize("row", limits.ROWS.values(), ids=lambda row: row.field)
@pytest.mark.parametrize("wrong", [object(), 0.5, "two words\n#", {}])
def test_setting_of_another_kind_is_refused_with_its_name_range_and_value(row: Row, wrong: object) -> None:
    with pytest.raises(InvalidSettingError, match=f"{row.field} must be .*, but is "):
        row.read({row.field: wrong})


SENTENCES: list[tuple[Row, object, str]] = [
    (limits.LOG_RETENTION_DAYS, 2, "log_retention_days must be one of 1, 3, 5, .*, but is 2"),
    (limits.LOG_FORMAT, ["JSON"], r"log_format must be one of Text, JSON, but is \['JSON'\]"),
    (limits.PROTECT_TABLES, "false", r"protect_tables must be true or false, but is 'false' \(str\)"),
    (limits.STREAM_MAXIMUM_RETRIES, -2, "must be 0 to 10000, or -1 without limit, but is -2"),
    (limits.STREAM_MAXIMUM_RECORD_AGE_SECONDS, 0, "record_age_seconds must be 60 to 604800, .* but is 0"),
    (limits.MAXIMUM_RECEIVES, 1, "maximum_receives must be 5 to 1000, but is 1: .*throttles count"),
    *(
        (row, 86_400_000, "must be .*, but is 86400000: .* looks like milliseconds")
        for row in (limits.OUTBOX_ROW_LIFETIME_SECONDS, limits.INBOX_MARKER_LIFETIME_SECONDS)
    ),
]


@pytest.mark.parametrize(("row", "wrong", "sentence"), SENTENCES)
def test_refused_value_is_told_with_its_range_and_the_reason(row: Row, wrong: object, sentence: str) -> None:
    with pytest.raises(InvalidSettingError, match=sentence):
        row.read({row.field: wrong})


def test_whole_number_of_the_plugin_protocol_and_zero_stay_what_they_are() -> None:
    numbers = [limits.STREAM_MAXIMUM_RETRIES.read({"stream_maximum_retries": given}) for given in (0, 60.0)]

    assert numbers == [0, 60]
    assert {type(number) for number in numbers} == {int}


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


@pytest.mark.parametrize("name", ["", "x" * 37, "orders and sales", "orders/sales", "bestellungen-ä"])
def test_name_that_aws_would_refuse_is_refused(name: str) -> None:
    with pytest.raises(InvalidSettingError, match=r"component name must be 1 to 36 letters"):
        require_name(name)


def test_shortest_timeout_has_time_for_own_work_and_the_handlers_slowest_call() -> None:
    minimum = limits.FUNCTION_TIMEOUT_SECONDS.minimum

    assert limits.SLOWEST_CALL_SECONDS == RESERVE_SECONDS
    assert (
        RESERVE_SECONDS + limits.OWN_WORK_SECONDS <= minimum < RESERVE_SECONDS + limits.OWN_WORK_SECONDS + 1
    )
