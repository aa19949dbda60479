"""Right answers of a command, or of the mark of an intent: written from the rule, not from the code.

An item that an answer shows can prove that the request was stored. Else anything turned down in passing means
"again"; else the refusal. Every other answer would be contradicted by a later try.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from outbox.commit import commit
from outbox.commit_changes import commit_update, commit_writes
from outbox.errors import OutboxError
from outbox.intents import Intent, mark_done
from outbox.outgoing import OutgoingEvent
from outbox.retry import RESERVE_SECONDS, Backoff
from outbox.rows import RowOptions
from tests.handlers.support import Clock
from tests.simulation.vectors import HOLDS, PASSING, REFUSING, Table, Told, Truth, met, vectors
from tools.simulation.reads import Key

UNKNOWN, REFUSED = "NotStoredError", "CallRefusedError"
ACCEPTED, ALREADY, CONFLICTING = "ACCEPTED", "ALREADY_ACCEPTED", "ConflictingRequest"

EVENT = OutgoingEvent("e", "body")
STATE, ROW = ("THING#1", "STATE"), ("OUTBOX#e", "EVENT")
OPEN, DONE = ("INTENT#mail", "e"), ("INTENT#mail#DONE", "e")
OF_REQUEST = hashlib.sha256(b'{"n":1}').hexdigest()

Vector = Mapping[Key, Told]


class Case(NamedTuple):
    """A request in a world, and what is right."""

    send: Callable[[Any, Backoff], object]
    truth: Truth
    answer: str
    """When nothing is turned down."""
    is_proved: Callable[[Vector], bool]
    proved: str = ALREADY
    """When the vector proves that the request was stored."""
    unshown: tuple[Key, ...] = (ROW,)
    """Where an answer that does not show the item leaves open what is stored."""


def right_answer(case: Case, vector: Vector, *, has_time: bool) -> str:
    """The answer to a request whose first transaction is cancelled by this vector."""
    codes = {told.code for told in vector.values()}
    if case.is_proved(vector):
        return case.proved
    if codes & {*PASSING}:
        return case.answer if has_time else UNKNOWN
    if codes & {*REFUSING}:
        return REFUSED
    is_unexplained = codes == {HOLDS.code}
    return UNKNOWN if is_unexplained or vector != case.truth else case.answer


def given_answer(case: Case, table: Table, *, has_time: bool) -> str:
    """The answer by its name."""
    try:
        return str(case.send(table, Clock(10.0 if has_time else RESERVE_SECONDS).backoff()))
    except OutboxError as error:
        return type(error).__name__


def search(cases: Iterator[Case]) -> int:
    """Send each request in every world under every vector, with and without time; tells how many there were.

    Raises:
        AssertionError: An answer is not the right one, or a later try contradicts it.
    """
    count = 0
    for case in cases:
        later = given_answer(case, Table(case.truth), has_time=True)
        assert later == case.answer, f"{later} in {case}"
        for vector in vectors(case.truth, case.unshown):
            for has_time in (True, False):
                count += 1
                given = given_answer(case, Table(case.truth, vector), has_time=has_time)
                right = right_answer(case, vector, has_time=has_time)
                codes = [told.code for told in vector.values()]
                assert given == right, f"{given}, where {right} is right: {codes} in {case}"
                assert given in {later, UNKNOWN, REFUSED} or (given, later) == (ALREADY, ALREADY), (
                    f"{given}, and later {later}: {codes} in {case}"
                )
    return count


def commits() -> Iterator[Case]:
    """A new entity, whose rows stay for ever or have a lifetime."""
    yield from _commits(0)
    yield from _commits(60)


def _commits(lifetime_seconds: int) -> Iterator[Case]:
    # An entity that matches may have been changed since, and its row written by another version.
    own, other = met(size=5, note="new"), met(size=6)
    rows = met(body="body"), met(body="of another version")
    options = RowOptions(lifetime_seconds=lifetime_seconds)

    def send(client: Any, backoff: Backoff) -> str:
        answer = commit(
            client,
            table="t",
            state={"PK": STATE[0], "SK": STATE[1], "size": 5},
            event=EVENT,
            request_fields=["size"],
            backoff=backoff,
            row_options=options,
        )
        return answer["result"]

    def is_proved(vector: Vector) -> bool:
        return vector[STATE] == own and (lifetime_seconds > 0 or bool(vector[ROW].item))

    for state, without_row, with_row in (
        (HOLDS, ACCEPTED, "EventIdTakenError"),
        (own, ALREADY if lifetime_seconds else "OutboxRowMissingError", ALREADY),
        (other, CONFLICTING, CONFLICTING),
    ):
        for row in (HOLDS, *rows):
            answer = without_row if row == HOLDS else with_row
            yield Case(send, {STATE: state, ROW: row}, answer, is_proved, unshown=(STATE, ROW))


def updates() -> Iterator[Case]:
    """The next version of an entity; what is stored in its place may be of any version, or nothing."""

    def send(client: Any, backoff: Backoff) -> str:
        answer = commit_update(
            client,
            table="t",
            state={"PK": STATE[0], "SK": STATE[1], "size": 5},
            expected_version=1,
            event=EVENT,
            request={"n": 1},
            unchanged=["size"],
            backoff=backoff,
        )
        return answer["result"]

    refused = "VersionConflictError"
    for state, answer in (
        (HOLDS, ACCEPTED),
        (met(PK=STATE[0], size=5, version=2), refused),
        (met(), refused),
        (met(PK=STATE[0], size=6, version=1), CONFLICTING),
    ):
        yield from _known_by_digest(send, {STATE: state}, answer)


def writes(number: int) -> Iterator[Case]:
    """So many writes of one's own, whose conditions show what is stored, or do not ask for it."""

    def send(client: Any, backoff: Backoff) -> str:
        answer = commit_writes(client, table="t", writes=puts, event=EVENT, request={"n": 1}, backoff=backoff)
        return answer["result"]

    keys = [(f"OWN#{index}", "S") for index in range(number)]
    puts: list[Any] = [
        {"Put": {"TableName": "t", "Item": {"PK": {"S": pk}, "SK": {"S": sk}}}} for pk, sk in keys
    ]
    truths: list[dict[Key, Told]] = [{}]
    for key in keys:
        truths = [{**truth, key: told} for truth in truths for told in (HOLDS, met(), met(size=6))]
    for truth in truths:
        holds = all(told == HOLDS for told in truth.values())
        yield from _known_by_digest(send, truth, ACCEPTED if holds else "WriteRefusedError")


def _known_by_digest(send: Callable[[Any, Backoff], object], truth: Truth, answer: str) -> Iterator[Case]:
    own = met(request_digest=OF_REQUEST)

    def is_proved(vector: Vector) -> bool:
        return vector[ROW] == own

    for row, of_row in ((HOLDS, answer), (own, ALREADY), (met(request_digest="other"), CONFLICTING)):
        yield Case(send, {**truth, ROW: row}, of_row, is_proved)


def marks() -> Iterator[Case]:
    """The mark of an intent that is open, closed, or replaced by a row that is none; marked before or not."""

    def send(client: Any, backoff: Backoff) -> bool:
        return mark_done(client, table="t", intent=Intent("mail", "e", "{}"), backoff=backoff)

    for still_open in (HOLDS, met(), met(kind="FOREIGN")):
        for done in (HOLDS, met(body="{}"), met(body="other")):
            truth = {OPEN: still_open, DONE: done}
            answer = str(still_open == HOLDS and done == HOLDS)
            yield Case(send, truth, answer, _any_failed, "False", unshown=(DONE,))


def _any_failed(vector: Vector) -> bool:
    return any(told.has_failed for told in vector.values())
