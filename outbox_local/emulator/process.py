"""Starts and stops the emulator process, and leaves nothing of it behind.

The parent binds the listening socket and hands it down, so no other program can take the port in between.
The child holds the read end of a pipe from the parent and ends itself when the pipe closes: however the
parent dies, the emulator and the function processes below it go too.
"""

import contextlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from botocore.exceptions import HTTPClientError

from outbox_local.clients import Endpoint
from outbox_local.errors import EmulatorNotReadyError, PortInUseError

LOOPBACK = "127.0.0.1"
START_TIMEOUT_SECONDS = 30.0
POLL_SECONDS = 0.05
LOG_LINES_SHOWN = 15
NEEDS_THE_EXTRA = "The local AWS needs ministack: run `pip install 'transactional-outbox[local]'`."

# What a stack here can use; some of the emulator's other services would listen on ports of their own.
SERVICES = "cloudwatch,dynamodb,dynamodbstreams,events,iam,lambda,logs,sqs,sts"

# Everything else stays outside: no AWS profile, endpoint or credential of the user reaches a function.
INHERITED_VARIABLES = ("HOME", "LANG", "LC_ALL", "SYSTEMROOT", "TZ")


def reserve_port(port: int) -> socket.socket:
    """Binds the port of the loopback address (0 takes a free one) and returns the listening socket.

    Raises:
        PortInUseError: the port belongs to another process.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise PortInUseError(
            f"Port {port} on {LOOPBACK} is in use or not allowed ({error.strerror}): "
            "name another one with --port, or 0 for any free one."
        ) from error
    listener.listen(128)
    return listener


@contextlib.contextmanager
def start_emulator(listener: socket.socket, region: str) -> Iterator[Endpoint]:
    """Runs the emulator on the listening socket, with keys made for it alone, until the block ends.

    Args:
        listener: from `reserve_port`; closed here once the child has it.
        region: the region that the emulator answers as.

    Raises:
        EmulatorNotReadyError: it is not installed, ended, or did not answer within START_TIMEOUT_SECONDS.
    """
    if importlib.util.find_spec("ministack") is None:
        raise EmulatorNotReadyError(NEEDS_THE_EXTRA)
    with tempfile.TemporaryDirectory(prefix="outbox-emulator-", ignore_cleanup_errors=True) as scratch:
        endpoint = Endpoint.with_new_keys(f"http://{LOOPBACK}:{listener.getsockname()[1]}", region)
        log_path = Path(scratch, "emulator.log")
        with listener, log_path.open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "outbox_local.emulator.server", str(listener.fileno())],
                env=_environment(endpoint, scratch),
                pass_fds=[listener.fileno()],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C at the terminal is for the parent, which then stops this one
            )
        try:
            _wait_until_ready(process, endpoint, log_path)
            yield endpoint
        finally:
            _stop(process)


def _environment(endpoint: Endpoint, scratch: str) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}
    return inherited | {
        # Function code runs under the first python3 on PATH: the one that has the pinned boto3.
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
        "TMPDIR": scratch,
        "PYTHONUNBUFFERED": "1",
        "GATEWAY_PORT": endpoint.endpoint_url.rpartition(":")[2],
        "MINISTACK_HOST": LOOPBACK,
        "MINISTACK_REGION": endpoint.region,
        "SERVICES": SERVICES,
        "AUTH": "true",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        "AWS_ACCESS_KEY_ID": endpoint.access_key_id,
        "AWS_SECRET_ACCESS_KEY": endpoint.secret_access_key,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": LOOPBACK,
    }


def _wait_until_ready(process: subprocess.Popen[bytes], endpoint: Endpoint, log_path: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise EmulatorNotReadyError(
                f"The emulator ended with exit code {process.returncode} while starting. "
                f"Its last lines:\n{_last_lines(log_path)}"
            )
        try:
            endpoint.get("/_ministack/health")
        except HTTPClientError:
            time.sleep(POLL_SECONDS)
        else:
            return
    raise EmulatorNotReadyError(
        f"The emulator did not answer on {endpoint.endpoint_url} within {START_TIMEOUT_SECONDS:.0f} s. "
        f"Its last lines:\n{_last_lines(log_path)}"
    )


def _last_lines(log_path: Path) -> str:
    return "\n".join(log_path.read_text("utf-8", errors="replace").splitlines()[-LOG_LINES_SHOWN:])


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the whole process group, the functions' processes too, at once: there is no state to save."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
