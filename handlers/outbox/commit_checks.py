"""Arguments of a commit that contradict themselves: refused before anything is stored, not at the first retry."""

from collections.abc import Collection, Mapping, Sequence

from outbox.errors import describe
from outbox.items import Item, Key

# A transaction has at most 100 actions, and one is the outbox row.
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
MAXIMUM_WRITES = 99

_ACTIONS = ("ConditionCheck", "Delete", "Put", "Update")


def require_attributes(argument: str, names: Sequence[str], state: Item) -> None:
    """Raise ValueError if the argument names attributes that the state does not have."""
    if isinstance(names, str):
        raise ValueError(f"{argument} must be a list of names, but is one text; write [{names!r}]")
    if not isinstance(names, Collection):  # an iterator would be empty at the second look
        raise ValueError(f"{argument} must be a list of names, but is {describe(names)}")
    if unknown := [name for name in names if name not in state]:
        raise ValueError(
            f"{argument} names {unknown[0]!r}, which state does not have; it has {', '.join(state)}"
        )


def require_request_fields(names: Sequence[str], state: Item) -> None:
    """Raise ValueError if nothing would tell this request from another one for the same entity."""
    require_attributes("request_fields", names, state)
    if set(names) <= set(Key._fields):
        raise ValueError(
            f"request_fields {'has PK and SK at most' if names else 'is empty'}: another request for the same entity "
            "would be taken for a repetition, and dropped. Name the attributes of state that repeat the request."
        )


def require_request(request: object) -> None:
    """Raise ValueError if nothing would tell this request from another one with the same event id."""
    if not isinstance(request, Mapping) or not request:
        raise ValueError(
            f"request must be a mapping with the request's own fields, but is {describe(request)}: another request "
            "with the same event id would be taken for a repetition, and dropped."
        )


def require_writes(writes: object) -> None:
    """Raise ValueError if the writes are not 1 to 99 actions of TransactWriteItems."""
    if not isinstance(writes, Sequence) or not 1 <= len(writes) <= MAXIMUM_WRITES:
        raise ValueError(f"writes must be a list of 1 to {MAXIMUM_WRITES} actions, but is {describe(writes)}")
    for index, write in enumerate(writes):
        if not isinstance(write, Mapping) or len(write) != 1 or next(iter(write)) not in _ACTIONS:
            raise ValueError(f"write {index} must be an object with exactly one of {', '.join(_ACTIONS)}")
