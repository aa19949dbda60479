"""Timeline of one event: its moments from the command to the total, each with the source of its time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from outbox.bodies import refusal
from outbox.canonical import digest, parse_json
from outbox.errors import InvalidInputError
from outbox.headers import HEADERS
from outbox.items import EXPIRES_AT
from outbox.rows import STORED_MINUTE, time_told_by
from outbox_cli.durations import MILLISECONDS
from outbox_cli.status.stored import amounts_text
from outbox_cli.trace.facts import EventFacts, LogLine

Stage = Literal["command", "outbox row", "relay", "reconciler", "delivery", "marker", "total"]
STAGES: tuple[Stage, ...] = get_args(Stage)
PARKED = "Parked: the relay can never send its body; give the right one with `outbox correct`."
GIVEN_UP = (
    "Abandoned: its body can never be sent, its lifetime has ended; `outbox correct` still takes a right one."
)
# Placing the order again would not help: the command has accepted it, and writes no second row.
GONE = (
    "Neither an outbox row nor a marker is stored: it was abandoned, or its row was deleted. "
    "Nothing sends it any more; where it is due, `outbox send FILE` with its body does."
)
STAGE_OF: dict[str, Stage] = {
    "command": "command",
    "relay": "relay",
    "reconciler": "reconciler",
    "consumer": "delivery",
}

ACCEPTED, APPLIED = "ACCEPTED", "APPLIED"
# Each function's lines are stamped where it runs.
CLOCKS_DIFFER_MS = 1000
FAILURES = ("NOT_STORED", "RETRY", "RELAY_RETRY", "RELAY_PARKED", "RECONCILER_")
# The consumer's second line of one delivery: its effect is stored, and it fails on purpose.
INJECTED = "INJECTED_AFTER_COMMIT"
WITHOUT_ROW = "; no outbox row is stored: it was sent by hand, or its row has expired"
CONFLICTED = " Messages with other content under its id were refused: check `outbox dlq list`."
OTHER_APPLIED = (
    "Applied with other content than its outbox row has: `outbox reconcile` names it as conflicting."
)


@dataclass(frozen=True)
class Moment:
    """Something that happened to the event."""

    stage: Stage
    what: str
    at_ms: int | None
    """Milliseconds since 1970; None where nothing tells the time."""
    source: str
    """Where this, and its time, was read."""
    failed: bool = False


@dataclass(frozen=True)
class Timeline:
    """An event's moments in the order of time, and its state."""

    event_id: str
    moments: list[Moment]
    verdict: str
    applied: bool
    conflicting: bool
    """Whether other content was delivered, or applied, under the event's identity."""
    headers: dict[str, str]
    """Texts beside the event's body, such as the id of the event that caused it."""


def timeline_of(facts: EventFacts) -> Timeline:
    """The timeline of an event, from its items and log lines."""
    moments = [*_logged(facts), *_stored(facts)]
    timed = [moment for moment in moments if moment.at_ms is not None]
    timed.sort(key=_order)
    for untimed in (moment for moment in moments if moment.at_ms is None):
        later = (i for i, moment in enumerate(timed) if _is_later(moment, untimed))
        timed.insert(next(later, len(timed)), untimed)
    text = amounts_text(facts.totals)
    total = [Moment("total", text, facts.read_at_ms, "read now")] if text else []
    deliveries = sum(moment.stage == "delivery" for moment in timed)
    is_other = _is_other_content(facts.row, facts.marker)
    return Timeline(
        facts.event_id,
        [*timed, *total],
        OTHER_APPLIED if is_other else _verdict(facts, deliveries),
        applied=facts.marker is not None,
        conflicting=is_other or _is_conflict_logged(facts),
        headers=_headers(facts.row),
    )


def _headers(row: dict[str, Any] | None) -> dict[str, str]:
    """The headers of a row; what another program wrote in their place is none."""
    given = (row or {}).get(HEADERS)
    pairs = given.items() if isinstance(given, dict) else ()
    return {name: value for name, value in pairs if isinstance(value, str)}


def time_of(moment: Moment) -> datetime | None:
    """When it happened, in UTC."""
    return None if moment.at_ms is None else datetime.fromtimestamp(moment.at_ms / MILLISECONDS, UTC)


def timeline_as_json(timeline: Timeline) -> dict[str, Any]:
    """The timeline as one object, with times in ISO 8601."""
    moments = []
    for moment in timeline.moments:
        at = time_of(moment)
        moments.append(vars(moment) | {"at": at and at.isoformat(timespec="milliseconds")})
    return vars(timeline) | {"moments": moments}


def _order(moment: Moment) -> tuple[int, int]:
    """By time and stage; what is stored first comes first where only the clocks of two functions differ."""
    ahead = CLOCKS_DIFFER_MS if moment.what == ACCEPTED or moment.stage == "outbox row" else 0
    return (moment.at_ms or 0) - ahead, STAGES.index(moment.stage)


def _is_later(moment: Moment, than: Moment) -> bool:
    return STAGES.index(moment.stage) > STAGES.index(than.stage)


def _logged(facts: EventFacts) -> Iterator[Moment]:
    """A moment for each line, but one for the two lines of a delivery that failed after its commit."""
    lines = list(facts.lines)
    while lines:
        line = lines.pop(0)
        words = _without_id(line, facts.event_id)
        source = f"{line.function} log"
        if line.function != "consumer":
            yield Moment(STAGE_OF[line.function], words, line.at_ms, source, words.startswith(FAILURES))
            continue
        injected = next((each for each in lines if each.stream == line.stream), None)
        if injected and INJECTED in injected.text and INJECTED not in line.text:
            lines.remove(injected)
            words = f"{words}, then {INJECTED}"
        yield Moment("delivery", words, line.at_ms, source, words.startswith(FAILURES) or INJECTED in words)


def _without_id(line: LogLine, event_id: str) -> str:
    return line.text.removesuffix(f" {event_id}").replace(f" {event_id} ", " ", 1)


def _stored(facts: EventFacts) -> Iterator[Moment]:
    """The items, each stored in the transaction that the log line of its function tells of."""
    if facts.row is not None:
        at, source = _time_of_first(facts.lines, "command", ACCEPTED)
        if at is None and (stored_at := time_told_by(facts.row.get(STORED_MINUTE))) is not None:
            at, source = int(stored_at * MILLISECONDS), "source table, to the minute"
        yield Moment("outbox row", "stored", at, source or "source table")
    if facts.marker is not None:
        at, source = _time_of_first(facts.lines, "consumer", APPLIED)
        other = _is_other_content(facts.row, facts.marker)
        what = "stored for other content" if other else "stored"
        yield Moment("marker", what, at, source or "projection table", failed=other)


def _time_of_first(lines: Sequence[LogLine], function: str, word: str) -> tuple[int | None, str]:
    for line in lines:
        if line.function == function and line.text.split(maxsplit=1)[:1] == [word]:
            return line.at_ms, f"commit of {word}"
    return None, ""


def _is_conflict_logged(facts: EventFacts) -> bool:
    return any("ConflictingContent" in line.text for line in facts.lines)


def _is_other_content(row: Mapping[str, Any] | None, marker: Mapping[str, Any] | None) -> bool:
    """Whether a marker was stored for other content than the row has, as far as both tell."""
    if not row or not marker or "body" not in row or "digest" not in marker:
        return False
    try:
        return digest(parse_json(str(row["body"]))) != str(marker["digest"])
    except InvalidInputError:
        return True


def _never_sendable(body: object) -> bool:
    """Whether no queue accepts what a row has as its body now; what the relay logged of it may be corrected."""
    return not isinstance(body, str) or refusal(body) is not None


UNWANTED = "Stored; no queue of the relay wants events of its type: see the `event_types` of its consumers."
NOT_RELAYED = "Stored, not known to be relayed: wait a moment; if it stays so, run `outbox reconcile`."


def _verdict(facts: EventFacts, deliveries: int) -> str:
    """The state of the event, and the next step for the operator."""
    words = {word for line in facts.lines for word in line.text.split(maxsplit=1)[:1]}
    if facts.marker is not None:
        times = f", delivered {deliveries} times" if deliveries > 1 else ""
        refused = CONFLICTED if _is_conflict_logged(facts) else ""
        return f"Applied once{times}{'' if facts.row else WITHOUT_ROW}.{refused}"
    if facts.row is not None and _never_sendable(facts.row.get("body")):
        ends_at = facts.row.get(EXPIRES_AT)
        has_ended = isinstance(ends_at, int) and ends_at * MILLISECONDS <= facts.read_at_ms
        return GIVEN_UP if has_ended else PARKED
    if deliveries:
        return "Delivered, not applied: wait for its next delivery, or check `outbox dlq list`."
    if words & {"FORWARDED", "HEALED"}:
        return "Sent, not yet delivered: wait a moment, then check `outbox status` and `outbox dlq list`."
    if facts.row is None:
        return GONE
    return UNWANTED if "UNWANTED" in words else NOT_RELAYED
