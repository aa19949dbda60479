"""`python -m engine up`, between a stack of the engine's and Ctrl-C: what it drives meanwhile."""

import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.__main__ import _up
from outbox_local.clients import Clients
from outbox_local.resources import resource_type

PATIENCE_SECONDS = 60.0
RULE, TARGET = "aws:cloudwatch/eventRule:EventRule", "aws:cloudwatch/eventTarget:EventTarget"


class Schedule:
    """A stack, as `up` sees it, of one rule whose target nobody may invoke: that it runs is said in a log line."""

    def __init__(self, clients: Clients, name: str) -> None:
        self.clients = clients
        self.name = name
        self.made: list[tuple[str, str]] = []

    def up(self) -> None:
        target = f"arn:aws:lambda:{self.clients.region}:000000000000:function:nobody"
        for kind, inputs in (
            (RULE, {"name": self.name, "scheduleExpression": "rate(1 minute)"}),
            (TARGET, {"rule": self.name, "arn": target}),
        ):
            self.made.append((kind, resource_type(kind).create(self.clients, self.name, inputs).id))

    def outputs(self) -> dict[str, Any]:
        return {}

    def destroy(self) -> None:
        for kind, resource_id in reversed(self.made):
            resource_type(kind).delete(self.clients, resource_id)


class Runs(logging.Handler):
    """Ends the wait for Ctrl-C at the first run of a rule."""

    def __init__(self, rule: str) -> None:
        super().__init__()
        self.rule = rule
        self.seen = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if self.rule in record.getMessage():
            self.seen.set()

    def wait(self) -> None:
        assert self.seen.wait(PATIENCE_SECONDS), "the schedule never ran"


def test_engine_up_runs_the_schedules_of_what_it_deployed(
    clients: Clients, fresh_name: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stack: Any = Schedule(clients, fresh_name("rule"))
    stopped: Any = Runs(stack.name)
    logging.getLogger("outbox_local.schedules").addHandler(stopped)

    try:
        _up(stack, clients, tmp_path, stopped, speed=600)
    finally:
        logging.getLogger("outbox_local.schedules").removeHandler(stopped)

    assert capsys.readouterr().out.endswith("Destroying ...\nGone.\n")
    assert json.loads((tmp_path / "stack.json").read_text()) == {}
