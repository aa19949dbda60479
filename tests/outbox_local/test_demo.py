"""The demo as a newcomer runs it: the whole walkthrough beside any setup of the user's, and Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.docs.documents import texts_of_picture
from tests.outbox_cli.verbs import run_verb
from tools.picture import PICTURE
from tools.repository import PROGRAM_DIRECTORY

# A background job's child would ignore SIGINT and one of nohup SIGHUP, and this may be either.
DEMO_WITH_DEFAULT_SIGNALS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from outbox_cli.entry import main
main()
"""
PATIENCE_SECONDS = 120
WALKTHROUGH_RESOURCES = {
    "aws:cloudwatch/logGroup:LogGroup": 3,
    "aws:dynamodb/table:Table": 2,
    "aws:iam/role:Role": 3,
    "aws:iam/rolePolicy:RolePolicy": 3,
    "aws:lambda/eventSourceMapping:EventSourceMapping": 2,
    "aws:lambda/function:Function": 3,
    "aws:sqs/queue:Queue": 2,
}


def test_demo_beside_any_setup_of_the_users_shows_the_walkthroughs_numbers_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, scratch = tmp_path / "config", tmp_path / "scratch"
    broken.write_text("[broken")
    scratch.mkdir()
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
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    code = run_verb(monkeypatch, "demo", "--json", "--speed", "60")

    result = json.loads(capsys.readouterr().out)
    assert [step for step in result["steps"] if not step["ok"]] == []
    assert code == 0
    assert set(result) == {"ok", "steps", "totals", "resources", "seconds"}
    assert all(set(step) == {"name", "ok", "expected", "seen"} for step in result["steps"])
    assert result["totals"] == {"order_count": 2, "revenue_cents": 3500}
    assert result["resources"] == WALKTHROUGH_RESOURCES
    assert len(result["steps"]) == 19
    shown = texts_of_picture(PICTURE.read_text("utf-8")).split()
    assert [step for step in result["steps"] if not {*f"{step['name']}:".split()} <= {*shown}] == [], (
        "make picture"
    )
    assert list(scratch.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_demo_stopped_in_the_middle_says_one_sentence_and_leaves_nothing(
    tmp_path: Path, stop: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DEMO_WITH_DEFAULT_SIGNALS, "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(PROGRAM_DIRECTORY)},
        cwd=PROGRAM_DIRECTORY,
    ) as demo:
        assert demo.stdout is not None
        demo.stdout.readline()

        demo.send_signal(stop)

        _, errors = demo.communicate(timeout=PATIENCE_SECONDS)
    assert errors == "Stopped on request.\n"
    assert demo.returncode == 128 + stop
    assert list(tmp_path.iterdir()) == []
