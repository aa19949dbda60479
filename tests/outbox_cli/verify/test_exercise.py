"""What `outbox verify` does around its steps: the fault is off at the end, and left out where it may not be."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from outbox_cli.demo.stepping import StepResult
from outbox_cli.errors import OperatorError
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals
from outbox_cli.verify import commands
from outbox_cli.verify.exercise import Verification, _why_without_fault, fault_off_at_the_end
from tests.outbox_cli.verbs import run_verb
from tools.simulation.errors import client_error

ORDER = "verify-1-b"


class Consumer:
    """The function's configuration; `before_update` happens while it is being changed."""

    def __init__(self, fault: str | None = None, before_update: Callable[[], Any] = lambda: None) -> None:
        self.variables = {"PROJECTION_TABLE": "projection"}
        if fault:
            self.variables["FAULT_AFTER_COMMIT"] = fault
        self.updates = 0
        self._before_update = before_update

    def get_function_configuration(self, **_: Any) -> dict[str, Any]:
        return {"Environment": {"Variables": dict(self.variables)}}

    def update_function_configuration(self, Environment: dict[str, Any], **_: Any) -> None:  # noqa: N803 - boto3's name
        self._before_update()
        self.updates += 1
        self.variables = Environment["Variables"]

    def get_waiter(self, _: str) -> "Consumer":
        return self

    def wait(self, **_: Any) -> None:
        """It is done at once."""


def stack_of(consumer: Consumer) -> Stack:
    return Stack("test", {"consumer_function_name": "consumer"}, lambda _: consumer)


@pytest.mark.parametrize("end", [None, KeyboardInterrupt, RuntimeError])
def test_fault_is_off_however_the_run_ends(end: type[BaseException] | None) -> None:
    consumer = Consumer(ORDER)

    with suppress(KeyboardInterrupt, RuntimeError), fault_off_at_the_end(stack_of(consumer), ORDER):
        if end:
            raise end

    assert consumer.variables == {"PROJECTION_TABLE": "projection"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_while_the_fault_is_taken_away_ends_the_run_behind_it(number: signal.Signals) -> None:
    consumer = Consumer(ORDER, before_update=lambda: os.kill(os.getpid(), number))
    caught: list[int] = []
    earlier = signal.signal(number, lambda received, _: caught.append(received))

    try:
        with fault_off_at_the_end(stack_of(consumer), ORDER):
            pass
    finally:
        signal.signal(number, earlier)

    assert consumer.variables == {"PROJECTION_TABLE": "projection"}
    assert caught == [number]


def test_fault_of_somebody_else_is_left_as_it_is() -> None:
    consumer = Consumer("another-order")

    with fault_off_at_the_end(stack_of(consumer), ORDER):
        pass

    assert (consumer.variables["FAULT_AFTER_COMMIT"], consumer.updates) == ("another-order", 0)


def test_run_beside_a_fault_of_somebody_else_is_refused_with_the_way_out() -> None:
    with pytest.raises(
        OperatorError, match=r"fails order 'another-order' on purpose already.*--without-fault"
    ):
        _why_without_fault(stack_of(Consumer("another-order")))


def test_fault_is_left_out_where_the_credentials_may_not_set_it() -> None:
    def deny() -> None:
        raise client_error("UpdateFunctionConfiguration", "AccessDeniedException")

    reason = _why_without_fault(stack_of(Consumer(before_update=deny)))

    assert reason == "these credentials may not change the consumer's configuration"


def verification(*, ok: bool, left_out: str | None = None) -> Verification:
    steps = [StepResult("first", ok, "1", "1" if ok else "2")]
    return Verification(
        steps, ["verify-1-a"], Totals(3, 9), other_events=True, left_out=left_out, seconds=2.0
    )


@pytest.mark.parametrize(("name", "wanted"), [("dev", True), ("prod", False), ("prod-eu", False)])
def test_production_stack_gets_no_fault_unless_it_is_asked_for(
    name: str, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def fake(_stack: Stack, _progress: Any, *, has_fault: bool, poll_seconds: float) -> Verification:
        asked.append(has_fault)
        return verification(ok=True)

    monkeypatch.setattr(commands, "verify", fake)
    monkeypatch.setattr(
        commands, "chosen_stack", lambda *_: Stack(name, {"domain": "orders"}, lambda _: None)
    )

    codes = [run_verb(monkeypatch, "verify"), run_verb(monkeypatch, "verify", "--with-fault")]

    assert codes == [0, 0]
    assert asked == [wanted, True]


def test_end_says_what_was_left_out_what_others_did_and_what_stays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = verification(ok=False, left_out="no rights")
    monkeypatch.setattr(commands, "verify", lambda *_, **__: result)
    monkeypatch.setattr(
        commands, "chosen_stack", lambda *_: Stack("dev", {"domain": "orders"}, lambda _: None)
    )

    code = run_verb(monkeypatch, "verify")

    assert code == 1
    assert capsys.readouterr().out.splitlines() == [
        "Step 1 did not hold: first (2.0 s).",
        "The steps with a fault were left out: no rights.",
        "Other events were applied meanwhile: 3 orders, 9 cents more in all.",
        "Their orders stay stored: verify-1-a.",
    ]
