"""The tests hold whatever they inherit: some that look at their surroundings, in surroundings of many kinds."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tools.repository import PROGRAM_DIRECTORY

pytestmark = pytest.mark.thorough

SUBSET = [
    "tests/test_isolation.py",
    "tests/docs/test_documents.py",
    "tests/outbox_local/test_emulator.py::test_batch_send_needs_send_message_on_that_queue_alone",
    "tests/outbox_local/test_program.py",
    "tests/outbox_cli/cost",
    "tests/outbox_cli/test_entry.py",
    "tests/outbox_cli/test_guarantees.py",
    "tests/outbox_cli/test_help.py",
    "tests/outbox_cli/test_progress.py",
    "tests/unit/test_settings.py",
]
PATIENCE_SECONDS = 300
NOWHERE = "http://127.0.0.1:9"


def as_nohup() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def as_background_job() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def with_a_narrow_mask() -> None:
    os.umask(0o077)


@pytest.mark.parametrize(
    ("variables", "prepare"),
    [
        pytest.param({}, as_nohup, id="nohup"),
        pytest.param({}, as_background_job, id="background"),
        pytest.param({"HOME": "/proc/self/none"}, with_a_narrow_mask, id="home-and-mask"),
        pytest.param(
            {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, None, id="ascii"
        ),
        pytest.param(
            {"TERM": "dumb", "COLUMNS": "33", "NO_COLOR": "1", "TZ": "Asia/Kathmandu"}, None, id="look"
        ),
        pytest.param({"http_proxy": NOWHERE, "HTTP_PROXY": NOWHERE, "ALL_PROXY": NOWHERE}, None, id="proxy"),
        pytest.param({"AWS_PROFILE": "of-the-user", "AWS_ENDPOINT_URL": NOWHERE}, None, id="account"),
        pytest.param({"PULUMI_CONFIG": '{"a": "b"}', "PULUMI_STACK": "of-the-user"}, None, id="pulumi"),
        pytest.param({"PYTHONPATH": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}, None, id="python"),
    ],
)
def test_tests_hold_in_these_surroundings(
    variables: Mapping[str, str], prepare: Callable[[], Any] | None, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pytest", "-n0", "-m", "not thorough", "-p", "no:cacheprovider"]

    done = subprocess.run(
        [*command, f"--basetemp={tmp_path / 'inner'}", *SUBSET],
        cwd=PROGRAM_DIRECTORY,
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        preexec_fn=prepare,
        start_new_session=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )

    assert done.returncode == 0, done.stdout.decode()[-4000:]
