"""Event types and versions: what is understood, raised, refused, and written."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from outbox.effects import Add, Effect, Put
from outbox.errors import InvalidInputError, UnknownEventError
from outbox.events import Earlier, Event, EventType, Fields, Projection, no_effects
from outbox.fields import Text, WholeNumber
from outbox.items import Key
from tests.handlers.support import PROJECTION_TABLE, Recorder, deliver, items, messages

WORD = Text("[a-z]+", "text of lowercase letters")
PIECES = WholeNumber(1, 100)


def _with_place(fields: Fields) -> Fields:
    return {**fields, "place": "main"}


def _in_pieces(fields: Fields) -> Fields:
    return {"article": fields["article"], "place": fields["place"], "pieces": fields["dozens"] * 12}


MOVED = EventType(
    "moved",
    {"article": WORD, "place": WORD, "pieces": PIECES},
    earlier=[
        Earlier({"article": WORD, "dozens": PIECES}, _with_place),
        Earlier({"article": WORD, "dozens": PIECES, "place": WORD}, _in_pieces),
    ],
)
CLOSED = EventType("closed", {"place": WORD})


def _moved(event: Event) -> Iterator[Effect]:
    place, article = event.fields["place"], event.fields["article"]
    yield Add(Key(f"PLACE#{place}", article), {"pieces": event.fields["pieces"]})


LEVELS = Projection({MOVED: _moved, CLOSED: no_effects})


def _body(event_id: str = "e", type_: object = "moved", **fields: Any) -> str:
    return json.dumps({"event_id": event_id, "type": type_, **fields})


VERSIONS = {
    1: _body("e1", article="tea", dozens=1),
    2: _body("e2", version=2, article="tea", dozens=2, place="main"),
    3: _body("e3", version=3, article="tea", pieces=5, place="main"),
}


def test_events_of_every_version_have_the_effects_of_the_newest(dynamodb: Any) -> None:
    reported = deliver(dynamodb, messages(*VERSIONS.values()), parse=LEVELS.parse)

    assert reported == []
    assert items(dynamodb, PROJECTION_TABLE)["PLACE#main"]["pieces"] == str(12 + 24 + 5)


def test_digest_is_that_of_the_body_as_it_came_and_not_of_the_raised_one() -> None:
    later = Projection({EventType("moved", {"article": WORD, "dozens": PIECES}): no_effects})

    before, after = later.parse(VERSIONS[1]), LEVELS.parse(VERSIONS[1])

    assert before.identity == after.identity


class Numbers:
    """A field of one's own."""

    def check(self, name: str, value: object) -> None: ...


def _sum_by_emptying(fields: Fields) -> int:
    cents = 0
    while fields["lines"]:
        cents += fields["lines"].pop()
    return cents


def _spend(event: Event) -> list[Effect]:
    return [Add(Key("SALES", "TOTAL"), {"cents": _sum_by_emptying(event.fields)})]


ORDERED = EventType("ordered", {"lines": Numbers()})
ORDERED_AS_SUM = EventType(
    "ordered",
    {"cents": PIECES},
    [Earlier(ORDERED.fields, lambda fields: {"cents": _sum_by_emptying(fields)})],
)


@pytest.mark.parametrize("spent", [Projection({ORDERED: _spend}), Projection({ORDERED_AS_SUM: no_effects})])
def test_other_content_is_a_conflict_even_where_domain_code_empties_what_it_is_given(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], spent: Projection
) -> None:
    first, other = (_body("o-1", "ordered", lines=lines) for lines in ([1, 2], [99]))

    reported = [deliver(dynamodb, messages(body), parse=spent.parse) for body in (first, other, first)]

    assert reported == [[], ["m-1"], []]
    assert "ConflictingContent: o-1" in capsys.readouterr().out


def _answer_one(_event: Event) -> Any:
    return Add(Key("P", "S"), {"n": 1})


def _raise(_given: object) -> Any:
    raise KeyError("pieces")


@pytest.mark.parametrize(
    ("projection", "cause"),
    [
        (Projection({ORDERED: _raise}), "KeyError: 'pieces'"),
        (
            Projection({EventType("ordered", {}, [Earlier(ORDERED.fields, _raise)]): no_effects}),
            "KeyError: 'pieces'",
        ),
        (Projection({ORDERED: _answer_one}), "TypeError: effects must be a list or a generator, but are Add"),
        (
            Projection({ORDERED: lambda _: _answer_one(_).amounts}),
            "TypeError: An effect must be Add, Put or Update",
        ),
        (Projection({ORDERED: lambda _: [Put({"PK": "P"})]}), "ValueError: An effect needs SK, a text of"),
    ],
)
def test_message_that_fails_in_domain_code_is_logged_with_its_event_id_its_type_and_the_traceback(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], projection: Projection, cause: str
) -> None:
    reported = deliver(dynamodb, messages(_body("o-1", "ordered", lines=[1])), parse=projection.parse)

    assert reported == ["m-1"]
    log = capsys.readouterr()
    told = f"o-1 of the type ordered and version 1 meets domain code that raised {cause}"
    assert log.out.startswith(f"RETRY DomainCodeError: {told}")
    assert "Traceback" in log.err


def test_event_of_a_known_type_without_effects_is_marked(dynamodb: Any) -> None:
    reported = deliver(dynamodb, messages(_body("c", "closed", place="main")), parse=LEVELS.parse)

    assert reported == []
    assert set(items(dynamodb, PROJECTION_TABLE)) == {"INBOX#c"}


@pytest.mark.parametrize(
    ("body", "described"),
    [
        (_body("e", "lost", place="x"), "of the type 'lost' and version 1"),
        (_body("e", version=4, article="tea"), "of the type 'moved' and version 4"),
        (_body("e", version=0, article="tea"), "version 0"),
        (_body("e", version=True), "version bool True"),
        (_body("e", version="2"), "version str of length 1"),
        (_body("e", version=None), "version null"),
    ],
)
def test_event_that_is_not_understood_fails_every_time_and_says_what_is(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], body: str, described: str
) -> None:
    reported = [deliver(dynamodb, messages(body, VERSIONS[3]), parse=LEVELS.parse) for _ in range(2)]

    assert reported == [["m-1"], ["m-1"]]
    assert "INBOX#e" not in items(dynamodb, PROJECTION_TABLE)
    [line, *_] = capsys.readouterr().out.splitlines()
    assert line.startswith("RETRY UnknownEventError: e is ")
    assert described in line
    assert "understood are moved 1-3, closed 1. Deploy a consumer that understands it" in line


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("[]", "The event must be an object, but is list"),
        ("{}", "event_id and type of the event must be text, but are null and null"),
        (_body("e", 7), "but are str of length 1 and int 7"),
        (_body("e", article="tea"), "The event moved 1 must have exactly the fields article, dozens"),
        (_body("e", article="tea", dozens=1, place="x"), "also has 'place'"),
        (_body("e", article="TEA", dozens=1), "article must be text of lowercase letters, but is str"),
        (
            _body("e", article="tea", dozens=100),
            "pieces must be a whole number from 1 to 100, but is int 1200",
        ),
        (_body("", "closed", place="x"), "event_id must be text of 1 to 1024"),
    ],
)
def test_event_of_another_form_is_refused_with_its_reason(body: str, sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence) as raised:
        LEVELS.parse(body)

    assert not isinstance(raised.value, UnknownEventError)


@pytest.mark.parametrize(
    ("event_id", "note", "sentence"),
    [
        ("\ud800", "x", "event_id must be text of 1 to 1024 UTF-8 bytes, but is str of length 1 with half a"),
        (
            "bad",
            "x\udfff",
            "bad is refused: note must be any text, but is str of length 2 with half a surrogate pair",
        ),
    ],
)
def test_event_with_half_a_surrogate_pair_fails_alone_before_any_call(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], event_id: str, note: str, sentence: str
) -> None:
    noted = EventType("noted", {"note": Text("(?s).*", "any text")})
    notes = Projection({noted: lambda event: [Put({"PK": "NOTE", "SK": event.event_id, **event.fields})]})
    client = Recorder(dynamodb)
    bodies = [_body(each, "noted", note="\u00e9") for each in ("a", "b")]

    reported = deliver(
        client, messages(bodies[0], _body(event_id, "noted", note=note), bodies[1]), parse=notes.parse
    )

    assert reported == ["m-2"]
    assert {"INBOX#a", "INBOX#b"} < set(items(dynamodb, PROJECTION_TABLE))
    assert len(client.calls) == 1
    assert f"RETRY InvalidInputError: {sentence}" in capsys.readouterr().out


def test_version_that_is_no_longer_understood_is_refused() -> None:
    newer = EventType("moved", MOVED.fields, earlier=[MOVED.earlier[1]], oldest_version=2)
    levels = Projection({newer: _moved})

    assert levels.parse(VERSIONS[2]).effects == LEVELS.parse(VERSIONS[2]).effects
    with pytest.raises(UnknownEventError, match="understood are moved 2-3"):
        levels.parse(VERSIONS[1])


def test_event_type_that_leaves_version_1_out_writes_it_from_version_2_on() -> None:
    first = EventType("closed", {"place": WORD}, writes_version_1=False)
    second = EventType("closed", {"place": WORD}, [Earlier({}, lambda _: {})], writes_version_1=False)

    bodies = [kind.event("e9", {"place": "x"}).body for kind in (first, second)]

    assert bodies == [
        '{"event_id":"e9","place":"x","type":"closed"}',
        '{"event_id":"e9","place":"x","type":"closed","version":2}',
    ]
    assert Projection({first: no_effects}).parse(bodies[0]).event_id == "e9"


def test_event_to_commit_is_of_the_newest_version_and_read_back() -> None:
    outgoing = MOVED.event("e9", {"article": "tea", "place": "main", "pieces": 7})

    assert outgoing.body == (
        '{"article":"tea","event_id":"e9","pieces":7,"place":"main","type":"moved","version":3}'
    )
    assert LEVELS.parse(outgoing.body).effects == (Add(Key("PLACE#main", "tea"), {"pieces": 7}),)


@pytest.mark.parametrize(
    ("kind", "event_id", "fields", "sentence"),
    [
        (CLOSED, "e", {}, "The event closed must have exactly the fields place, but lacks place"),
        (CLOSED, "e", {"place": 7}, "place must be text of lowercase letters, but is int 7"),
        (
            CLOSED,
            "e",
            {"place": "x", "version": 1},
            "must have exactly the fields place, but also has 'version'",
        ),
        *[
            (ORDERED, "e", {"lines": [value]}, f"No consumer could read the event ordered: .*{sentence}")
            for value, sentence in (
                (1.5, "a number has a fraction"),
                (float("nan"), "not JSON compliant"),
                (10**38, "a number has more than 38 digits"),
                ({1}, "set is not JSON serializable"),
            )
        ],
        *[
            (CLOSED, event_id, {"place": "x"}, "event_id must be text of 1 to 1024 UTF-8 bytes")
            for event_id in ("", "é" * 513, "\ud800")
        ],
    ],
)
def test_event_to_commit_that_no_consumer_takes_is_refused(
    kind: EventType, event_id: str, fields: Any, sentence: str
) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        kind.event(event_id, fields)
