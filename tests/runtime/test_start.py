"""Variables that a function cannot work with: told once, when it starts, and not at each invocation."""

import pytest

from tests.runtime.aws import Aws
from tests.runtime.conftest import Start
from tests.runtime.functions import functions_of

pytestmark = pytest.mark.thorough

NAMES, NUMBERS = ("", " "), ("x", "-1", "1.5", "\u0663", "9" * 5000)
FUNCTIONS = {
    "orders-command": {
        "SOURCE_TABLE": NAMES,
        "RECONCILE_INDEX": NUMBERS,
        "OUTBOX_ROW_LIFETIME_SECONDS": NUMBERS,
    },
    "orders-relay": {"QUEUE_URL": (*NAMES, "sales-queue"), "QUEUE_URLS": ("https://one.test/q two",)},
    "sales-consumer": {
        "PROJECTION_TABLE": NAMES,
        "AGGREGATE_SHARDS": ("0", *NUMBERS),
        "INBOX_MARKER_LIFETIME_SECONDS": NUMBERS,
    },
    "sales-reconciler": {
        "SOURCE_TABLE": NAMES,
        "SOURCE_INDEX": NAMES,
        "PROJECTION_TABLE": NAMES,
        "QUEUE_URL": (*NAMES, "sales-queue"),
        "RECONCILE_INTERVAL_MINUTES": ("", "0", *NUMBERS),
        "RECONCILE_MARGIN_SECONDS": ("", "0", *NUMBERS, "1209601"),
        "RECONCILE_HORIZON_SECONDS": ("", "0", "899", *NUMBERS),
        "RECONCILE_START": NUMBERS,
    },
}
CASES = [
    (function, variable, value)
    for function, variables in FUNCTIONS.items()
    for variable, values in variables.items()
    for value in values
]


@pytest.mark.parametrize(("name", "variable", "value"), CASES)
def test_function_with_a_bad_variable_says_so_when_it_starts(
    start: Start, aws: Aws, name: str, variable: str, value: str
) -> None:
    function = start("prod", name, variables={variable: value})

    posted = function.posted()

    assert (posted.request_id, posted.kind) == ("init", "error")
    assert posted.body["errorType"] == "SettingError"
    assert variable in posted.body["errorMessage"]
    assert "deploy again" in posted.body["errorMessage"]
    assert function.exit_code() == 1
    [error] = [entry for entry in function.objects() if "errorType" in entry]
    assert error["errorMessage"] == posted.body["errorMessage"]
    assert aws.called == []


def test_cases_have_every_variable_that_the_functions_of_prod_are_given() -> None:
    print(f"{len(CASES)} bad values of {sum(map(len, FUNCTIONS.values()))} variables.")  # noqa: T201

    given = functions_of("prod")
    assert {name: {*given[name].variables} - {*FUNCTIONS[name]} for name in given} == {
        name: set() for name in FUNCTIONS
    }
    assert len(CASES) >= 61
