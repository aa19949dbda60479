"""A value is compared as it is stored: the same request is accepted again, whatever types its fields have."""

from decimal import Decimal
from typing import Any

import pytest

from outbox.commit import CommandResult, commit
from outbox.outgoing import OutgoingEvent
from tests.handlers.support import SOURCE_TABLE, Clock


@pytest.mark.parametrize(
    "value",
    [("a", "b"), (), {"lines": [(1, 2)]}, {b"a"}, frozenset({1, 2}), bytearray(b"a"), Decimal("1.50")],
)
def test_commit_repeated_with_the_same_value_of_any_type_is_accepted_already(
    dynamodb: Any, value: object
) -> None:
    def accept() -> CommandResult:
        return commit(
            dynamodb,
            table=SOURCE_TABLE,
            state={"PK": "THING#1", "SK": "STATE", "value": value},
            event=OutgoingEvent("e", "body"),
            request_fields=["value"],
            backoff=Clock().backoff(),
        )

    assert [accept()["result"] for _ in range(2)] == ["ACCEPTED", "ALREADY_ACCEPTED"]
