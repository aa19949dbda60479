import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outbox_local.event_sources.responses import failed_identifiers

DELIVERED = ["1", "2", "3"]
NAMES = st.sampled_from(["batchItemFailures", "itemIdentifier", "1"]) | st.text(max_size=3)
ANSWERS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
).map(lambda answer: json.dumps(answer).encode())


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"{}",
        b'{"batchItemFailures": []}',
        b'{"batchItemFailures": null}',
        b'{"batchItemFailure": [{"itemIdentifier": "1"}]}',
    ],
)
def test_response_empty_or_null_means_all_succeeded(payload: bytes) -> None:
    failed = failed_identifiers(payload, function_error=None, identifiers=DELIVERED, reporting=True)

    assert failed == frozenset()


@pytest.mark.parametrize(
    "payload",
    [
        b"{",
        b"\xff",
        b'"ok"',
        b"[]",
        b"[" * 100_000,
        b'{"batchItemFailures": ' + b"[" * 100_000,
        b"1" * 5_000,
        b"NaN",
        b"3",
        b'{"batchItemFailures": "1"}',
        b'{"batchItemFailures": {"itemIdentifier": "1"}}',
        b'{"batchItemFailures": ["1"]}',
        b'{"batchItemFailures": [{"itemIdentifier": ""}]}',
        b'{"batchItemFailures": [{"itemIdentifier": null}]}',
        b'{"batchItemFailures": [{"itemIdentifier": 1}]}',
        b'{"batchItemFailures": [{"id": "1"}]}',
        b'{"batchItemFailures": [{"itemIdentifier": "9"}]}',
        b'{"batchItemFailures": [{"itemIdentifier": "1"}, {"itemIdentifier": "9"}]}',
    ],
)
def test_response_of_another_shape_means_all_failed(payload: bytes) -> None:
    failed = failed_identifiers(payload, function_error=None, identifiers=DELIVERED, reporting=True)

    assert failed == frozenset(DELIVERED)


def test_response_naming_failures_means_those_failed() -> None:
    payload = b'{"batchItemFailures": [{"itemIdentifier": "3"}, {"itemIdentifier": "2"}]}'

    failed = failed_identifiers(payload, function_error=None, identifiers=DELIVERED, reporting=True)

    assert failed == {"2", "3"}


@pytest.mark.parametrize("reporting", [True, False])
def test_response_of_a_function_error_means_all_failed(reporting: bool) -> None:
    payload = b'{"batchItemFailures": []}'

    failed = failed_identifiers(
        payload, function_error="Unhandled", identifiers=DELIVERED, reporting=reporting
    )

    assert failed == frozenset(DELIVERED)


@pytest.mark.parametrize("payload", [b'{"batchItemFailures": [{"itemIdentifier": "1"}]}', b"{", b'"ok"'])
def test_response_without_reporting_switched_on_is_ignored(payload: bytes) -> None:
    failed = failed_identifiers(payload, function_error=None, identifiers=DELIVERED, reporting=False)

    assert failed == frozenset()


@given(payload=st.binary() | ANSWERS)
def test_response_of_any_content_is_judged_and_never_raises(payload: bytes) -> None:
    failed = failed_identifiers(payload, function_error=None, identifiers=DELIVERED, reporting=True)

    assert failed <= frozenset(DELIVERED)
