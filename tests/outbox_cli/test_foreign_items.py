"""Items that nobody foresaw, in both tables: no verb and no function fails for their neighbours."""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import orders
from outbox.heal import Places, Schedule, heal
from outbox.items import outbox_row
from outbox.retry import Backoff
from outbox.rows import INDEX_SHARDS, minute_of
from outbox.wire import to_wire
from outbox_cli.exit_codes import DONE
from tests.outbox_cli.dead_letters.world import body
from tests.outbox_cli.foreign import TEXTS, Foreign, Screen, is_storable, put_in_place, run_on
from tools.simulation.sqs import Queue, Sqs

APPLIED, LOST, UNTIMED, DEAD, NEW, SENT = "applied", "lost", "untimed", "dead", "new", "sent"
AGE_SECONDS = 16 * 60
EXAMPLES, EXAMPLES_THOROUGH = 10, 1000
ITEMS_AN_EXAMPLE = 8

NESTED = [{"S": "[" * depth + "]" * depth} for depth in (30, 900, 990, 1100, 5000)]
LEAVES: list[Any] = [
    *({"N": "9" * 38}, {"N": "-1E+125"}, {"N": "1E-130"}, {"N": "0.5"}, {"N": "0"}, {"S": ""}),
    *({"B": b"\xff"}, {"BS": [b"\x00"]}, {"NS": ["1", "2"]}, {"SS": ["a"]}, {"NULL": True}),
    *({"BOOL": True}, {"S": "OUTBOX"}, {"S": body(LOST, 1)}, {"S": "2026-09-05T12:00"}, *NESTED),
]
VALUES: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.sampled_from(LEAVES) | st.builds(lambda text: {"S": text}, TEXTS.filter(is_storable)),
    lambda inner: (
        st.builds(lambda some: {"L": some}, st.lists(inner, max_size=2))
        | st.builds(lambda some: {"M": some}, st.dictionaries(st.sampled_from("ab"), inner, max_size=2))
    ),
    max_leaves=4,
)
ATTRIBUTES = (
    *("kind", "body", "digest", "expires_at", "stored_minute", "index_shard", "order_count", "revenue_cents"),
    *("event_id", "order_id", "amount_cents", "x"),
)
EVENT_IDS = [orders.event_id_of(each) for each in (APPLIED, LOST, UNTIMED, DEAD, NEW)]
PARTITIONS = st.sampled_from(
    [f"{start}{event_id}" for event_id in EVENT_IDS for start in ("OUTBOX#", "INBOX#")]
    + [
        "SALES",
        "OUTBOX#",
        "INBOX#",
        "OUTBOX",
        "ORDER#x",
        "x",
        f"ORDER#{LOST}",
        "OUTBOX#nested",
        "INBOX#nested",
    ]
) | TEXTS.filter(is_storable)
SORTS = st.sampled_from(["NOTE", "TOTAL#note", "TOTALS", "EVENT", "EVENT", "EVENT#2", "STATE#2"])
# Rows and markers of events that nobody has accepted here; what they say may be anything.
OTHERS = st.builds(
    lambda key, body, more: {
        "PK": {"S": key},
        "SK": {"S": "EVENT"},
        "kind": {"S": "OUTBOX"},
        "body": body,
        **more,
    },
    st.sampled_from([f"{start}other-{number}" for number in range(3) for start in ("OUTBOX#", "INBOX#")]),
    st.just({"S": body(LOST, 1)}) | VALUES,
    st.dictionaries(
        st.sampled_from(["digest", "expires_at", "stored_minute", "index_shard"]), VALUES, max_size=2
    ),
)
ITEMS = OTHERS | st.builds(
    lambda partition, sort, more: {"PK": {"S": partition}, "SK": {"S": sort}, **more},
    PARTITIONS,
    SORTS,
    st.dictionaries(st.sampled_from(ATTRIBUTES), VALUES, max_size=6),
)


class Beside(Foreign):
    """Events of each fate, beside items that others have written into both tables and bodies they have sent."""

    def __init__(self, items: list[dict[str, Any]]) -> None:
        super().__init__([])
        self.texts = ["simulated"]
        self.now = self.system.clock.now()
        for order_id in (APPLIED, LOST):
            self.store(
                order_id, {"index_shard": INDEX_SHARDS[0], "stored_minute": minute_of(self.now - AGE_SECONDS)}
            )
        self.store(UNTIMED, {})
        self.add(APPLIED, 700, applied=True, copies=1)
        self.add(DEAD, 700)
        for item in items:
            if item["SK"]["S"] == "EVENT" and item["PK"]["S"].partition("#")[2] in EVENT_IDS:
                continue  # what a good event says of itself, and not its neighbour
            is_total = item["PK"]["S"] == "SALES" and item["SK"]["S"].startswith("TOTAL")
            # A foreign number there is a share of the totals, as no verb can tell.
            counted = ("order_count", "revenue_cents") if is_total else ()
            kept = {name: value for name, value in item.items() if name not in counted or "N" not in value}
            for table in (self.system.source, self.system.projection):
                table.store(kept)

    def store(self, order_id: str, extras: dict[str, str]) -> None:
        event = orders.event_of(orders.Order(order_id, 700))
        self.system.source.store(to_wire({**outbox_row(event.event_id, event.body), **extras}))


def examples(count: int, capsys: pytest.CaptureFixture[str], each: Any) -> None:
    """Goes through as many mixtures of items, and says through how many items."""
    seen = 0

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(ITEMS, min_size=ITEMS_AN_EXAMPLE, max_size=ITEMS_AN_EXAMPLE))
    def one(items: list[dict[str, Any]]) -> None:
        nonlocal seen
        seen += len(items)
        each(items)

    one()
    with capsys.disabled():
        sys.stdout.write(f" [{seen} items]")
    assert seen >= count * ITEMS_AN_EXAMPLE


def answer(monkeypatch: pytest.MonkeyPatch, world: Beside, *arguments: str) -> dict[str, Any]:
    with monkeypatch.context() as patch:
        put_in_place(patch, world)
        out, err = Screen("utf-8"), Screen("utf-8")
        for options in ([], ["--json"]):
            code = run_on(patch, [*arguments, *options], out, err)
            assert "fault of its own" not in err.text, (arguments, err.text)
            assert code == DONE or not err.text, (arguments, err.text)
    found: dict[str, Any] = json.loads(out.text.splitlines()[-1])
    return found


def require_verbs_right(monkeypatch: pytest.MonkeyPatch, items: list[dict[str, Any]]) -> None:
    world = Beside(items)
    totals = {"order_count": 2, "revenue_cents": 1400}
    applied, lost, untimed, dead = (orders.event_id_of(each) for each in (APPLIED, LOST, UNTIMED, DEAD))

    status = answer(monkeypatch, world, "status")
    watch = answer(monkeypatch, world, "watch", "--count", "1")
    trace = answer(monkeypatch, world, "trace", applied)
    answer(monkeypatch, world, "trace", lost)
    letters = answer(monkeypatch, world, "dlq", "list")["messages"]
    found = answer(monkeypatch, world, "reconcile", "--margin-seconds", "0")
    again = answer(monkeypatch, world, "reconcile", "--margin-seconds", "900")

    assert status["totals"] == watch["samples"][0]["totals"] == totals
    assert (trace["applied"], trace["conflicting"]) == (True, False)
    states = {each["event_id"]: each["state"] for each in letters if each["event_id"]}
    assert (states[applied], states[dead]) == ("applied", "unapplied")
    for events, due in ((found["events"], {lost, untimed}), (again["events"], {lost, untimed})):
        assert due == set(events["lost"]) & set(EVENT_IDS)
        assert not set(EVENT_IDS) & {*events["conflicting"], *events["parked"]}


def require_functions_right(items: list[dict[str, Any]]) -> None:
    world = Beside(items)
    system = world.system
    queue = Queue("healed", system.clock, retention_seconds=86_400)
    backoff = Backoff(world.remaining_seconds, world.sleep, world.random)
    schedule = Schedule(interval_minutes=5, margin_seconds=900, horizon_seconds=86_400)

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        accepted = system.command({"order_id": NEW, "amount_cents": 5}, world)
        records = [
            _record(number, item) for number, item in enumerate([*items, *system.source.items.values()])
        ]
        relayed = system.relay({"Records": records}, world)
        bodies = [json.dumps(_plain(item)) for item in items] + [body(SENT, 3)]
        consumed = system.consumer(
            {"Records": [{"messageId": str(n), "body": each} for n, each in enumerate(bodies)]}, world
        )
        healed = heal(
            system.client("dynamodb"),
            Sqs([queue]),  # type: ignore[arg-type]  # as much of SQS as it calls
            places=Places("source", "index", "projection", "healed"),
            schedule=schedule,
            at=world.now,
            backoff=backoff,
            function_name="reconciler",
        )

    assert accepted == {"result": "ACCEPTED", "event_id": orders.event_id_of(NEW)}
    assert relayed == {"batchItemFailures": []}
    assert {body(NEW, 5), body(LOST, 700)} <= {each.body for each in system.queue.messages.values()}
    assert {each["itemIdentifier"] for each in consumed["batchItemFailures"]} == {
        str(number) for number in range(len(items))
    }
    assert world.totals().order_count == 3
    assert body(LOST, 700) in [each.body for each in queue.messages.values()]
    assert healed["healed"] == len(queue.messages)


def _record(number: int, item: dict[str, Any]) -> dict[str, Any]:
    image = {"Keys": {}, "NewImage": item, "SequenceNumber": str(number)}
    return {"eventName": "INSERT", "dynamodb": image}


def _plain(item: dict[str, Any]) -> Any:
    return json.loads(json.dumps(item, default=str))


def test_verbs_report_the_good_events_rightly_beside_foreign_items(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    examples(EXAMPLES, capsys, lambda items: require_verbs_right(monkeypatch, items))


def test_row_nested_to_any_depth_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body is read one level deeper than it can be written again: one depth is both, and none knows which."""
    depths = range(sys.getrecursionlimit() - 300, sys.getrecursionlimit() + 10)
    items = [
        {
            "PK": {"S": f"{start}{depth}"},
            "SK": {"S": "EVENT"},
            "body": {"S": "[" * depth + "]" * depth},
            "digest": {"S": "x"},
        }
        for depth in depths
        for start in ("OUTBOX#", "INBOX#")
    ]
    world = Beside(items)

    found = answer(monkeypatch, world, "reconcile", "--margin-seconds", "0")
    traced = [answer(monkeypatch, world, "trace", str(depth)) for depth in depths[::10]]

    assert set(found["events"]["conflicting"]) == set(map(str, depths))
    assert all(each["conflicting"] for each in traced)


def test_functions_serve_the_good_events_beside_foreign_items(capsys: pytest.CaptureFixture[str]) -> None:
    examples(EXAMPLES, capsys, require_functions_right)


@pytest.mark.thorough
def test_verbs_and_functions_hold_beside_many_foreign_items(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def both(items: list[dict[str, Any]]) -> None:
        require_verbs_right(monkeypatch, items)
        require_functions_right(items)

    examples(EXAMPLES_THOROUGH, capsys, both)
