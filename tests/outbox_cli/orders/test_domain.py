"""Verbs of the walkthrough's orders change nothing on a stack of another domain."""

import json
from pathlib import Path
from typing import Any

import boto3
import pytest

from outbox_cli.orders.domain import DOMAIN
from tests.outbox_cli.verbs import OUTPUTS, run_verb

OF_ORDERS = [
    ("place", "w-1", "300"),
    ("send", "w-1", "300"),
    ("fault", "on", "w-1"),
    ("fault", "off"),
    ("verify",),
    ("verify", "--without-fault"),
]


@pytest.mark.parametrize("domain", [None, "inventory", "Orders"])
@pytest.mark.parametrize("typed", OF_ORDERS, ids=" ".join)
def test_verb_of_orders_on_a_stack_of_another_domain_is_wrong_use_before_any_call(
    typed: tuple[str, ...],
    domain: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    calls: list[str] = []

    class Session:
        def __init__(self, **_: Any) -> None: ...

        def client(self, service: str, **_: Any) -> Any:
            calls.append(service)
            raise AssertionError(service)

    monkeypatch.setattr(boto3, "Session", Session)
    outputs = {name: value for name, value in OUTPUTS.items() if name != DOMAIN}
    (tmp_path / "other.json").write_text(json.dumps({**outputs, DOMAIN: domain} if domain else outputs))

    code = run_verb(monkeypatch, *typed, "--aws", str(tmp_path / "other.json"))

    assert (code, calls) == (2, [])
    reason = (
        "looks like is not known" if typed[0] in ("place", "send") else "does not export 'domain' as 'orders'"
    )
    assert f"{reason}, so nothing is changed" in capsys.readouterr().err
