"""Event types, fields and projections that contradict themselves, found before any event comes."""

from typing import Any

import pytest

from outbox.errors import InvalidInputError
from outbox.events import Earlier, EventType, Projection, no_effects
from outbox.fields import Text, WholeNumber
from outbox.intents import intent

WORD = Text("[a-z]+", "text of lowercase letters")


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: EventType("t", {"version": WORD}), "t: version is a field of every event"),
        (lambda: EventType("t", {}, [Earlier({"type": WORD}, dict)]), "t: type is a field of every event"),
        (lambda: EventType("t", {}, oldest_version=0), "oldest_version must be a whole number .* but is 0"),
        (lambda: EventType("t", {}, oldest_version=1.5), "but is 1.5"),  # type: ignore[arg-type]
        (lambda: EventType("t", {}, oldest_version="1"), "but is '1'"),  # type: ignore[arg-type]
        (lambda: Projection({EventType("t", {}): no_effects, EventType("t", {}): no_effects}), "one name"),
        (lambda: EventType("", {}), "An event type needs a name"),
        (lambda: EventType("  ", {}), "An event type needs a name"),
        (lambda: EventType("x\n", {}), "An event type needs a name"),
        (lambda: EventType("\ud800", {}), "An event type needs a name"),
        (lambda: EventType("x", None), "x: fields must be a mapping .* but are null"),  # type: ignore[arg-type]
        (lambda: EventType("x", {}, Earlier({}, dict)), "x: earlier must be a list of"),  # type: ignore[arg-type]
        (lambda: EventType("x", {}, [Earlier({}, None)]), "x: earlier must be a list"),  # type: ignore[arg-type]
        (lambda: EventType("x", {}, None), "x: earlier must be a list"),  # type: ignore[arg-type]
        (lambda: Projection([EventType("x", {})]), "one mapping, but is given list"),  # type: ignore[arg-type]
        (lambda: EventType(None, {}), "An event type needs a name.* null"),  # type: ignore[arg-type]
        (lambda: EventType("x", {"a": str}), "x: a must be a field such as"),  # type: ignore[dict-item]
        (lambda: EventType("x", {"a": Text}), "x: a must be a field such as"),  # type: ignore[dict-item]
        (lambda: EventType("x", {}, [Earlier({"a": 1}, dict)]), "x: a must be a field"),  # type: ignore[dict-item]
        (lambda: Text("[", "x"), "The pattern '\\[' is no regular expression"),
        (lambda: Text(None, "x"), "The pattern None is no regular expression"),  # type: ignore[arg-type]
        (lambda: WholeNumber(5, 1), r"WholeNumber\(5, 1\) accepts nothing"),
        (lambda: WholeNumber("1", "5"), "accepts nothing: give the lowest int"),  # type: ignore[arg-type]
        (lambda: Projection({}), "A projection needs an event type"),
        (lambda: Projection({"x": no_effects}), "maps each EventType to a function"),  # type: ignore[dict-item]
        (lambda: Projection({EventType("x", {}): []}), "maps each .* is mapped to list"),  # type: ignore[dict-item]
    ],
)
def test_contract_that_contradicts_itself_is_refused_when_it_is_made(build: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        build()


def test_whole_number_with_equal_bounds_accepts_that_one_alone() -> None:
    seven = WholeNumber(7, 7)

    seven.check("days", 7)
    with pytest.raises(InvalidInputError, match="days must be a whole number from 7 to 7, but is int 8"):
        seven.check("days", 8)


class Anything:
    """A field of one's own that takes every value."""

    def check(self, name: str, value: object) -> None:
        """Accept it."""


def test_event_or_intent_nested_deeper_than_json_can_be_written_is_refused() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]

    with pytest.raises(InvalidInputError, match="nested too deeply"):
        EventType("nested", {"value": Anything()}).event("e", {"value": nested})
    with pytest.raises(InvalidInputError, match="nested too deeply"):
        intent("e", "send-mail", {"value": nested})
