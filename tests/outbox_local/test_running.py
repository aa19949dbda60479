"""The local AWS that stays between commands, as a person uses it, and the sentences when something is off."""

import fcntl
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from outbox_cli.stack.deployed import running_local_stack
from outbox_cli.status.stored import read_totals
from outbox_cli.waiting import Wait
from outbox_local.emulator import reserve_port
from outbox_local.errors import LocalAwsError
from outbox_local.running import (
    NOT_RUNNING,
    STATE_FOLDER_VARIABLE,
    RunningAws,
    StateFolder,
    start_in_background,
    stop_in_background,
)
from tests.outbox_cli.verbs import run_verb
from tools.repository import PROGRAM_DIRECTORY

PATIENCE = Wait(timeout_seconds=30)
RUNNING = RunningAws("http://127.0.0.1:9", "eu-central-1", "LOCALKEY", "secret", 1, "dev", 1, {})


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[StateFolder]:
    folder = StateFolder(tmp_path / "state")
    yield folder
    if folder.is_locked():
        stop_in_background(folder)


class Said(NamedTuple):
    """Output that a verb leaves at the terminal."""

    code: int
    out: str
    err: str


@pytest.fixture
def outbox(
    folder: StateFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """Runs a verb in this process; tests/docs and the demo's test start the script itself."""
    monkeypatch.setenv(STATE_FOLDER_VARIABLE, str(folder.path))

    def run(*arguments: str) -> Said:
        code = run_verb(monkeypatch, *arguments)
        return Said(code, *capsys.readouterr())

    return run


def test_local_aws_on_a_busy_port_says_so_and_leaves_nothing(folder: StateFolder) -> None:
    taken = reserve_port(0)
    port = taken.getsockname()[1]

    with pytest.raises(LocalAwsError, match=rf"^Port {port} on 127\.0\.0\.1 is in use"):
        start_in_background(folder, "dev", None, port=port, speed=1)

    taken.close()
    assert not folder.is_locked()


def test_state_of_a_dead_process_counts_as_not_running(folder: StateFolder) -> None:
    folder.path.mkdir()
    folder.write(RUNNING)

    with pytest.raises(LocalAwsError, match=NOT_RUNNING):
        stop_in_background(folder)


def test_state_that_is_damaged_is_named_and_the_process_can_still_be_stopped(folder: StateFolder) -> None:
    with folder.locked():
        folder.state_path.write_text("{")

        with pytest.raises(LocalAwsError, match=r"local\.json is damaged: stop the local AWS with"):
            folder.read()

        assert folder.lock_path.read_text() == str(os.getpid())


def test_check_whether_one_is_running_never_blocks_a_start(folder: StateFolder) -> None:
    folder.path.mkdir()
    folder.lock_path.touch()
    with folder.lock_path.open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        threading.Timer(0.15, lambda: fcntl.flock(looking, fcntl.LOCK_UN)).start()

        with folder.locked():
            held = folder.is_locked()

    assert held
    assert not folder.is_locked()


def test_check_whether_one_is_running_leaves_no_trace(folder: StateFolder) -> None:
    running = folder.is_locked()

    assert not running
    assert not folder.path.exists()


def test_state_is_readable_by_its_user_alone_whatever_the_umask(folder: StateFolder) -> None:
    before = os.umask(0)
    try:
        with folder.locked():
            folder.write(RUNNING)

            read = folder.read()
    finally:
        os.umask(before)

    assert read == RUNNING
    assert "secret" not in repr(read)
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.path.iterdir()} == {
        "local.json": 0o600,
        "local.lock": 0o666,
    }
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o720, 0o702])
def test_folder_that_others_can_write_in_is_refused_for_a_start_and_for_a_use(
    folder: StateFolder, mode: int
) -> None:
    with folder.locked():
        folder.write(RUNNING)
        folder.path.chmod(mode)

        for use in (folder.read, lambda: stop_in_background(folder), folder.locked().__enter__):
            with pytest.raises(LocalAwsError, match=r"Other users can write in .*: run `chmod 700"):
                use()


def test_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = StateFolder(tmp_path / "file")

    with pytest.raises(
        LocalAwsError, match=r"cannot be written .*: name another folder in OUTBOX_STATE_FOLDER"
    ):
        start_in_background(folder, "dev", None, port=0, speed=1)


def test_start_that_is_interrupted_leaves_no_process(
    folder: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("outbox_local.running.time.sleep", interrupt)

    with pytest.raises(KeyboardInterrupt):
        start_in_background(folder, "dev", None, port=0, speed=1)

    assert not folder.is_locked()


def test_verb_without_a_local_aws_is_one_sentence_and_exit_code_1(outbox: Callable[..., Said]) -> None:
    said = outbox("place", "order-a", "1000")

    assert said == (1, "", f"{NOT_RUNNING}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["place"], "Missing argument 'VALUE...'"),
        (["demo", "--speed", "0"], "'--speed'"),
        (["local", "up", "--port", "70000"], "'--port'"),
        (["dlq", "redrive", "--max-per-second", "501"], "'--max-per-second'"),
        (["nonsense"], "nonsense"),
        (["demo", "--stack", "nope"], "There is no stack 'nope' here: choose one of dev, prod"),
        (["demo", "--stack", "prod"], "but is 'nothing'. Name the region"),
    ],
)
def test_wrong_use_exits_2_with_a_sentence(
    outbox: Callable[..., Said], arguments: list[str], sentence: str
) -> None:
    said = outbox(*arguments)

    assert (said.code, said.out) == (2, "")
    assert sentence in said.err


def test_local_aws_stays_between_commands_and_every_verb_answers_one_json_object(
    folder: StateFolder, outbox: Callable[..., Said]
) -> None:
    def answer(*arguments: str) -> dict[str, Any]:
        said = outbox(*arguments, "--json")
        assert (said.code, said.err) == (0, "")
        return dict(json.loads(said.out))

    started = subprocess.run(  # the script itself: what it leaves in the background outlives it
        [sys.executable, "-m", "outbox_cli.entry", "local", "up", "--port", "0", "--json"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PROGRAM_DIRECTORY)},
        timeout=60,
        check=True,
    )
    up = json.loads(started.stdout)
    second = outbox("local", "up")
    placed = answer("place", "order-a", "1000")
    PATIENCE.until(lambda: read_totals(running_local_stack(folder)), lambda seen: seen.order_count > 0)
    status = answer("status")
    trace = answer("trace", "order-a")
    letters = answer("dlq", "list")
    reconciled = answer("reconcile")
    negative = outbox("place", "order-x", "-1")
    mistyped = outbox("fault", "on", "ORDER B!")
    unknown = outbox("trace", "order-created:nope")
    fault = answer("fault", "on", "order-b")
    down = answer("local", "down")

    assert up["stack"] == "dev"
    assert second.code == 1
    assert second.err.startswith("A local AWS is already running: use it, or stop it with")
    assert placed == {"result": "ACCEPTED", "event_id": "order-created:order-a"}
    assert status["totals"] == {"order_count": 1, "revenue_cents": 1000}
    assert [moment["stage"] for moment in trace["moments"]] == [
        "command",
        "outbox row",
        "relay",
        "delivery",
        "marker",
        "total",
    ]
    assert (letters["messages"], letters["complete"]) == ([], True)
    assert (reconciled["rows"], reconciled["applied"], reconciled["lost"]) == (1, 1, 0)
    assert (negative.code, negative.out) == (2, "")
    assert negative.err == "amount_cents must be a whole number from 1 to 1000000, but is int -1.\n"
    assert mistyped.err.startswith("order_id must be text of 1-40 lowercase letters")
    assert (unknown.code, unknown.out) == (1, "")
    assert fault == {"fault_after_commit": "order-b"}
    assert down == {"running": False}
    assert not folder.is_locked()
    assert not folder.state_path.exists()
    reserve_port(int(up["endpoint_url"].rsplit(":", 1)[1])).close()
