"""A stack in memory into which others have written any text, and every verb of the command line on it."""

import io
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from outbox.bodies import refusal
from outbox.texts import utf8_bytes
from outbox_cli.demo.run import DemoResult
from outbox_cli.demo.stepping import Progress, StepResult
from outbox_cli.main import run
from outbox_cli.orders.sending import order_created_body
from outbox_cli.reconcile.search import reconcile
from outbox_cli.stack import option
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals
from outbox_cli.trace.facts import LogLine
from outbox_cli.verify.exercise import Verification
from outbox_cli.waiting import Wait
from outbox_local.errors import DeploymentError
from outbox_local.running import RunningAws
from tests.outbox_cli.dead_letters.world import World
from tests.outbox_cli.foreign_services import Functions, Logs, Metrics
from tests.outbox_cli.verbs import ARN_START, OUTPUTS
from tools.simulation.sqs import Queue, Sqs

FAILURES = "failures"
PARKED = "parked"
NASTY = (
    *(
        "[/x]",
        "[red]",
        "[link=http://x]y[/link]",
        ":warning:",
        "\x1b[31mx\nunapplied  forged line",
        "\x1b]0;t\x07",
    ),
    *(
        "$(x)",
        "`id`",
        "'",
        '"',
        "\\",
        "a'b\"c",
        "-x",
        "--help",
        "~",
        "!1",
        "*",
        ";rm -rf .",
        "\r\n",
        "\x00",
        "\x9b8m",
    ),
    *("\u202e\u2066evil", "\u200b\u200d\ufeff", "\u2028\u2029\x85", "\ud800", "\udcff", "e" + "\u0301" * 40),
    *(
        "עברית ",
        "عربى",
        "漢字",
        "🎉",
        "ß",
        "%s {0} {x}",
        "\t",
        " ",
        "NaN",
        "1e999",
        "x" * 900,
        "</script>",
        "\x7f",
    ),
)
CHARACTERS = st.sampled_from(["\n", "\x1b", "[", "]", "'", "\\", "\u202e", "\ud8ff"]) | st.characters()
TEXTS = st.lists(st.sampled_from(NASTY) | st.text(CHARACTERS, max_size=20), min_size=1, max_size=3).map(
    "".join
)


def is_storable(text: str) -> bool:
    """Whether DynamoDB and SQS take a text as an event's id."""
    return 1 <= utf8_bytes(text) <= 1000


def can_be_typed(text: str) -> bool:
    """Whether a process can be given a text as an argument."""
    try:
        return "\0" not in text and bool(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return False


class ByArn(Sqs):
    """A queue's ARN names it, too."""

    def _queue(self, name: str) -> Queue:
        return super()._queue(name.rpartition(":")[2])


class Foreign(World):
    """Tables, queues, logs and configuration, each with the texts in every place that a verb shows."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self.texts = texts
        self.failures = Queue(FAILURES, self.system.clock, retention_seconds=86_400)
        self._sqs = ByArn([self.system.queue, self.system.dead_letters, self.failures])
        self.add("good", 700, applied=True)
        for text in texts:
            self._write(text)

    @property
    def stack(self) -> Stack:
        own = self.system.stack().outputs
        arns = {
            "queue_arn": f"{ARN_START}{own['queue_arn']}",
            "dead_letter_queue_arn": f"{ARN_START}{own['dead_letter_queue_arn']}",
        }
        return Stack(
            self.texts[0], {**OUTPUTS, **own, **arns, "relay_failure_queue_url": FAILURES}, self.client
        )

    def client(self, service: str) -> Any:
        if service == "sqs":
            return self._sqs
        others = {"logs": Logs, "lambda": Functions, "cloudwatch": Metrics}
        return others[service](self.texts) if service in others else super().client(service)

    def _write(self, text: str) -> None:
        batch = dict.fromkeys(("shardId", "startSequenceNumber", "endSequenceNumber", "batchSize"), text)
        for time in ("2026-09-05T12:00:00Z", "2026-09-05T12:00:00", "0001-01-01"):
            at = dict.fromkeys(("approximateArrivalOfFirstRecord", "approximateArrivalOfLastRecord"), time)
            told = {"timestamp": time, "requestContext": {"condition": text}}
            self.failures.send(json.dumps(told | {"DDBStreamBatchInfo": batch | at}))
        self.system.dead_letters.send(json.dumps({text: 1}))
        if not is_storable(text):
            return
        if refusal(text) is None:
            self.failures.send(text)
            self.add_refused(text)
        self.add_refused(json.dumps({"event_id": text, "type": text}))
        for event_id, body in ((text, json.dumps({"event_id": text})), (text + PARKED, "\x07")):
            row = {"PK": f"OUTBOX#{event_id}", "SK": "EVENT", "kind": "OUTBOX", "body": body}
            self.system.source.store({name: {"S": value} for name, value in row.items()})
        for table in (self.system.source, self.system.projection):
            table.store({name: {"S": text} for name in ("PK", "SK", "kind")})


def arguments_of(folder: Path) -> dict[str, Callable[[str], list[list[str]]]]:
    """What each verb is run with for a text from outside, by the verb's words."""
    body, page = folder / "body.json", folder / "page.html"
    body.write_text(order_created_body("order-a", 1000))
    return {
        "demo": lambda _: [[]],
        "local up": lambda _: [[]],
        "local down": lambda _: [[]],
        "place": lambda _: [["order-a", "1000"]],
        "send": lambda text: [[str(body)], ["--", text]],
        "status": lambda _: [[]],
        "watch": lambda _: [["--count", "1"]],
        "trace": lambda text: [["--", text], ["--html", str(page), "--", text]],
        "fault on": lambda text: [["order-a"], ["--", text]],
        "fault off": lambda _: [[]],
        "dlq list": lambda text: [[], ["--bodies"], [text], [f"--{text}"]],
        "dlq redrive": lambda text: [
            ["--dry-run"],
            ["--only", text],
            ["--max-per-second", "500", "--wait", "0"],
        ],
        "dlq delete": lambda text: [["--dry-run", "--", text, "0"]],
        "verify": lambda _: [[]],
        "reconcile": lambda text: [["--margin-seconds", "0"], [f"--since={text}"]],
        "correct": lambda text: [["--dry-run", "--give-up", "--", text + PARKED], ["--", text, str(body)]],
        "relay-failures list": lambda _: [[]],
        "relay-failures clear": lambda _: [["--dry-run"], ["--margin-seconds", "0"]],
        "cost": lambda text: [[], [f"--seconds={text}"]],
        "capacity": lambda text: [["--events-per-second", "9"], [f"--events-per-second={text}"]],
        "permissions operator": lambda text: [
            [f"--account={text}"],
            [f"--stack={text}"],
            [f"--stack={'x' * 300}{text}"],
        ],
    }


def put_in_place(monkeypatch: pytest.MonkeyPatch, world: Foreign) -> None:
    """Lets every verb find the stack, whatever it would start or wait for otherwise."""
    text = world.texts[0]
    steps = [StepResult(each, each == text, each, each) for each in world.texts]

    def demo(_name: str, _region: str | None, _speed: float, progress: Progress) -> DemoResult:
        progress.doing(text)
        progress.done(steps[-1])
        lines = [LogLine("consumer", 0, text)]
        items = [{"PK": text, "SK": text, "kind": text}]
        return DemoResult(steps, Totals(0, 0), {}, items, items, {text: lines}, 0.1)

    def up(*_: Any) -> RunningAws:
        return RunningAws(text, text, text, text, 1, text, 1.0, {})

    def down(*_: Any) -> None:
        raise DeploymentError(text)

    monkeypatch.setattr("outbox_cli.demo.run.run_demo", demo)
    monkeypatch.setattr("outbox_cli.demo.commands.start_in_background", up)
    monkeypatch.setattr("outbox_cli.demo.commands.stop_in_background", down)
    monkeypatch.setattr(
        "outbox_cli.verify.commands.verify",
        lambda *_, **__: Verification(steps, [text], Totals(0, 0), False, text),
    )
    monkeypatch.setattr(option, "running_local_stack", lambda *_: world.stack)
    monkeypatch.setattr(Wait, "until", lambda _, look, __: look())
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setitem(reconcile.__kwdefaults__ or {}, "sleep", lambda _: None)
    monkeypatch.setitem(reconcile.__kwdefaults__ or {}, "now", world.system.clock.now)


class Screen(io.TextIOWrapper):
    """Standard output or error, in an encoding that may lack most characters."""

    def __init__(self, encoding: str, *, is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="\n")
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    @property
    def text(self) -> str:
        self.flush()
        shown: bytes = self.buffer.getvalue()  # type: ignore[attr-defined]  # the BytesIO from above
        return shown.decode(self.encoding)


@dataclass(frozen=True)
class Ran:
    """What a verb answered."""

    code: int
    out: str
    err: str


def run_on(
    monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], out: Any, err: Any, columns: int = 80
) -> int:
    """Runs the command line on these streams."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "argv", ["outbox", *arguments])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setenv("COLUMNS", str(columns))
        patch.setenv("TERM", "xterm")
        return run()
