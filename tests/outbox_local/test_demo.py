"""The demo as a newcomer runs it: the whole walkthrough, a step that does not hold, and Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from outbox_cli.demo.show import Quiet
from outbox_cli.demo.stepping import run_steps
from outbox_cli.demo.steps import walkthrough
from outbox_cli.stack.deployed import stack_of
from outbox_cli.status.stored import read_totals
from outbox_cli.waiting import Wait
from outbox_local.emulator import reserve_port
from outbox_local.environment import run_local_aws
from outbox_local.program import read_stack_config
from tests.docs.documents import texts_of_picture
from tests.outbox_local.conftest import REGION
from tools.picture import PICTURE
from tools.repository import PROGRAM_DIRECTORY

OUTBOX = [sys.executable, "-m", "outbox_cli.entry"]
# A background job's child would ignore SIGINT and one of nohup SIGHUP, and this may be either.
DEMO_WITH_DEFAULT_SIGNALS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from outbox_cli.entry import main
main()
"""
PATIENCE_SECONDS = 120


def environment(scratch: Path) -> dict[str, str]:
    return os.environ | {"TMPDIR": str(scratch), "PYTHONPATH": str(PROGRAM_DIRECTORY)}


def test_demo_shows_the_walkthroughs_numbers_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = subprocess.run(
        [*OUTBOX, "demo", "--json"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
        env=environment(tmp_path),
        cwd=PROGRAM_DIRECTORY,
    )

    result = json.loads(done.stdout)
    assert [step for step in result["steps"] if not step["ok"]] == []
    assert done.returncode == 0
    assert set(result) == {"ok", "steps", "totals", "resources", "seconds"}
    assert all(set(step) == {"name", "ok", "expected", "seen"} for step in result["steps"])
    assert result["totals"] == {"order_count": 2, "revenue_cents": 3500}
    assert sum(result["resources"].values()) == 18
    assert len(result["steps"]) == 19
    shown = texts_of_picture(PICTURE.read_text("utf-8")).split()
    assert [step for step in result["steps"] if not {*f"{step['name']}:".split()} <= {*shown}] == [], (
        "make picture"
    )
    assert list(tmp_path.iterdir()) == []


def test_demo_beside_any_setup_of_the_users_stops_at_the_step_that_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "config"
    broken.write_text("[broken")
    for name, value in {
        "AWS_PROFILE": "of-the-user",
        "AWS_ACCESS_KEY_ID": "AKIAOFTHEUSER",
        "AWS_CONFIG_FILE": str(broken),
        "AWS_SHARED_CREDENTIALS_FILE": str(broken),
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "http_proxy": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    config = read_stack_config(PROGRAM_DIRECTORY, "dev", {"aws:region": REGION})
    with run_local_aws(reserve_port(0), config, PROGRAM_DIRECTORY, speed=60) as aws:
        stack = stack_of(aws, "dev")
        relay = stack["relay_mapping_uuid"]
        aws.clients("lambda").update_event_source_mapping(UUID=relay, Enabled=False)

        results = run_steps(walkthrough(stack, Wait(timeout_seconds=1)), Quiet())
        aws.clients("lambda").update_event_source_mapping(UUID=relay, Enabled=True)
        Wait(timeout_seconds=30).until(lambda: read_totals(stack), lambda seen: seen.order_count > 0)
        totals = read_totals(stack)

    assert [step.ok for step in results] == [True, True, False]
    assert results[-1].expected == "1 order, 1000 cents"
    assert results[-1].seen == "0 orders, 0 cents"
    assert (totals.order_count, totals.revenue_cents) == (1, 1000)


@pytest.mark.parametrize(
    "stop",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.thorough),
        pytest.param(signal.SIGHUP, marks=pytest.mark.thorough),
    ],
)
def test_demo_stopped_in_the_middle_says_one_sentence_and_leaves_nothing(
    tmp_path: Path, stop: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DEMO_WITH_DEFAULT_SIGNALS, "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
        cwd=PROGRAM_DIRECTORY,
    ) as demo:
        assert demo.stdout is not None
        demo.stdout.readline()

        demo.send_signal(stop)

        _, errors = demo.communicate(timeout=PATIENCE_SECONDS)
    assert errors == "Stopped on request.\n"
    assert demo.returncode == 128 + stop
    assert list(tmp_path.iterdir()) == []
