"""The one local AWS that `outbox local up` keeps running between commands, and the files that tell of it.

A lock that the background process holds says whether it lives; a process id alone could be another's by now.
"""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from outbox_local.clients import Endpoint
from outbox_local.errors import LocalAwsError
from outbox_local.paths import program_directory

START_TIMEOUT_SECONDS = 60.0
STOP_TIMEOUT_SECONDS = 20.0
POLL_SECONDS = 0.1
LOCK_ATTEMPTS = 5
WRITABLE_BY_OTHERS = 0o022

STATE_FOLDER_VARIABLE = "OUTBOX_STATE_FOLDER"
NOT_RUNNING = "No local AWS is running: start one with `outbox local up`."


@dataclass(frozen=True)
class RunningAws(Endpoint):
    """Address and keys of the running one."""

    pid: int
    stack: str
    speed: float
    outputs: dict[str, Any]


@dataclass(frozen=True)
class StateFolder:
    """The folder with the lock, the state and the log of the running one."""

    path: Path

    @classmethod
    def of_user(cls) -> "StateFolder":
        """The folder that OUTBOX_STATE_FOLDER names, or `.outbox` in the folder of the working directory's program.

        Raises:
            ProgramError: the variable is not set, and there is no program.
        """
        named = os.environ.get(STATE_FOLDER_VARIABLE)
        return cls(Path(named) if named else program_directory() / ".outbox")

    @property
    def state_path(self) -> Path:
        """Written when it is ready, removed when it stops."""
        return self.path / "local.json"

    @property
    def log_path(self) -> Path:
        """The state that the background process reports."""
        return self.path / "local.log"

    @property
    def lock_path(self) -> Path:
        """Locked while it lives; holds its process id."""
        return self.path / "local.lock"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the lock for the block, with this process's id in the file.

        Raises:
            LocalAwsError: another process holds it, or the folder cannot be written.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._refuse_folder_of_others()
            lock = self.lock_path.open("a+")
        except OSError as error:
            raise LocalAwsError(
                f"{self.path} cannot be written ({error.strerror}): "
                f"name another folder in {STATE_FOLDER_VARIABLE}."
            ) from error
        with lock:
            # A command that checks whether one is running shares the lock for an instant: that is no owner.
            for attempts_left in reversed(range(LOCK_ATTEMPTS)):
                if _flock(lock, fcntl.LOCK_EX):
                    break
                if not attempts_left:
                    raise LocalAwsError(
                        "A local AWS is already running: use it, or stop it with `outbox local down`."
                    )
                time.sleep(POLL_SECONDS)
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield

    def require_running(self) -> None:
        """Refuses to go on without one, and with one that may be another user's.

        Raises:
            LocalAwsError: none is running, or other users can write in the folder.
        """
        if not self.is_locked():
            raise LocalAwsError(NOT_RUNNING)
        self._refuse_folder_of_others()

    def _refuse_folder_of_others(self) -> None:
        """Who may write there could put a local AWS of their own in the place of this one."""
        folder = self.path.stat()
        if folder.st_uid != os.geteuid() or folder.st_mode & WRITABLE_BY_OTHERS:
            raise LocalAwsError(
                f"Other users can write in {self.path}: run `chmod 700 {self.path}`, "
                f"or name a folder of your own in {STATE_FOLDER_VARIABLE}."
            )

    def is_locked(self) -> bool:
        """Whether a background process is alive; the check changes nothing and blocks nobody."""
        try:
            with self.lock_path.open() as lock:
                return not _flock(lock, fcntl.LOCK_SH)
        except OSError:  # there is no such file, so nobody holds it
            return False

    def write(self, running: RunningAws) -> None:
        """Says that it is ready; the file appears whole or not at all, and only its user may ever read it."""
        descriptor, draft = tempfile.mkstemp(dir=self.path)  # of mode 600 from the first moment
        with os.fdopen(descriptor, "w") as file:
            json.dump(asdict(running), file, indent=2)
        Path(draft).replace(self.state_path)

    def read(self) -> RunningAws:
        """Address and keys of the running one.

        Raises:
            LocalAwsError: none is running.
        """
        self.require_running()
        try:
            return RunningAws(**json.loads(self.state_path.read_text()))
        except FileNotFoundError as error:
            raise LocalAwsError("The local AWS is still starting: try again in a moment.") from error
        except (ValueError, TypeError) as error:
            raise LocalAwsError(
                f"{self.state_path} is damaged: stop the local AWS with `outbox local down`, then start it again."
            ) from error


def start_in_background(
    folder: StateFolder, stack: str, region: str | None, port: int, speed: float
) -> RunningAws:
    """Starts the local AWS as a process of its own and waits until it is ready.

    Raises:
        LocalAwsError: one runs already, or the new one ended while starting; says why.
    """
    with folder.locked():
        folder.state_path.unlink(missing_ok=True)
    with folder.log_path.open("wb") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-P",  # the program's own modules take the place of none of these
                "-m",
                "outbox_local.serve",
                str(folder.path),
                stack,
                region or "",
                str(port),
                str(speed),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        return _when_ready(folder, process)
    except BaseException:  # Ctrl-C too: nothing that was not asked for stays behind
        process.terminate()
        process.wait()
        raise


def _when_ready(folder: StateFolder, process: subprocess.Popen[bytes]) -> RunningAws:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise LocalAwsError(folder.log_path.read_text(errors="replace").strip())
        if folder.state_path.exists():
            return folder.read()
        time.sleep(POLL_SECONDS)
    raise LocalAwsError(
        f"The local AWS was not ready within {START_TIMEOUT_SECONDS:.0f} s: see {folder.log_path}."
    )


def stop_in_background(folder: StateFolder) -> None:
    """Stops the running one and waits until it is gone.

    Raises:
        LocalAwsError: none is running, or it does not end.
    """
    folder.require_running()
    os.kill(int(folder.lock_path.read_text()), signal.SIGTERM)
    deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
    while folder.is_locked():
        if time.monotonic() > deadline:
            raise LocalAwsError(
                f"The local AWS did not end within {STOP_TIMEOUT_SECONDS:.0f} s: see {folder.log_path}."
            )
        time.sleep(POLL_SECONDS)


def _flock(lock: IO[str], mode: int) -> bool:
    """Takes the lock if it is free; it goes with the file."""
    try:
        fcntl.flock(lock, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
