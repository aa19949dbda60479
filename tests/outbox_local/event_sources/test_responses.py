import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outbox_local.event_sources.responses import failed_identifiers

DELIVERED = ["1", "2", "3"]
ALL = {*DELIVERED}
NAMES = st.sampled_from(["batchItemFailures", "itemIdentifier", "1"]) | st.text(max_size=3)
ANSWERS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
).map(lambda answer: json.dumps(answer).encode())


def failed(payload: bytes, *, function_error: str | None = None, reporting: bool = True) -> frozenset[str]:
    return failed_identifiers(
        payload, function_error=function_error, identifiers=DELIVERED, reporting=reporting
    )


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b"", set()),
        (b"null", set()),
        (b"{}", set()),
        (b'{"batchItemFailures": []}', set()),
        (b'{"batchItemFailures": null}', set()),
        (b'{"batchItemFailure": [{"itemIdentifier": "1"}]}', set()),
        (b'{"batchItemFailures": [{"itemIdentifier": "3"}, {"itemIdentifier": "2"}]}', {"2", "3"}),
        (b"{", ALL),
        (b"\xff", ALL),
        (b'"ok"', ALL),
        (b"[]", ALL),
        (b"[" * 100_000, ALL),
        (b'{"batchItemFailures": ' + b"[" * 100_000, ALL),
        (b"1" * 5_000, ALL),
        (b"NaN", ALL),
        (b"3", ALL),
        (b'{"batchItemFailures": "1"}', ALL),
        (b'{"batchItemFailures": {"itemIdentifier": "1"}}', ALL),
        (b'{"batchItemFailures": ["1"]}', ALL),
        (b'{"batchItemFailures": [{"itemIdentifier": ""}]}', ALL),
        (b'{"batchItemFailures": [{"itemIdentifier": null}]}', ALL),
        (b'{"batchItemFailures": [{"itemIdentifier": 1}]}', ALL),
        (b'{"batchItemFailures": [{"id": "1"}]}', ALL),
        (b'{"batchItemFailures": [{"itemIdentifier": "9"}]}', ALL),
        (b'{"batchItemFailures": [{"itemIdentifier": "1"}, {"itemIdentifier": "9"}]}', ALL),
    ],
)
def test_response_fails_the_records_that_it_names_or_all_if_it_has_another_shape(
    payload: bytes, expected: set[str]
) -> None:
    assert failed(payload) == expected


@pytest.mark.parametrize("reporting", [True, False])
def test_response_of_a_function_error_means_all_failed(reporting: bool) -> None:
    assert failed(b'{"batchItemFailures": []}', function_error="Unhandled", reporting=reporting) == ALL


@pytest.mark.parametrize("payload", [b'{"batchItemFailures": [{"itemIdentifier": "1"}]}', b"{", b'"ok"'])
def test_response_without_reporting_switched_on_is_ignored(payload: bytes) -> None:
    assert failed(payload, reporting=False) == frozenset()


@given(payload=st.binary() | ANSWERS)
def test_response_of_any_content_is_read_and_never_raises(payload: bytes) -> None:
    assert failed(payload) <= ALL
