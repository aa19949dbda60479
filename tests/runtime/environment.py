"""One execution environment of Lambda: AWS's own runtime with a function's archive, and the log events it leaves."""

import io
import json
import os
import queue
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from components.lambda_function import RUNTIME as DEPLOYED_RUNTIME
from tests.runtime.api import Answer, Invocation, RuntimeApi, runtime_api
from tests.runtime.functions import DeployedFunction

FUNCTION_TIMEOUT_SECONDS = 10.0
PATIENCE_SECONDS = 60.0
# Of a frame on the descriptor for logs: its type, the length of its message, and a time.
# https://github.com/aws/aws-lambda-python-runtime-interface-client, FramedTelemetryLogSink
_TYPE_BYTES, _LENGTH_BYTES, _HEADER_BYTES = 4, 4, 16
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")


class Environment:
    """A started runtime."""

    def __init__(self, api: RuntimeApi, process: "subprocess.Popen[bytes]", folder: Path, level: str) -> None:
        self._api = api
        self._process = process
        self._output, self._frames = folder / "output", folder / "frames"
        self._level = level
        self._seen = {self._output: 0, self._frames: 0}

    def invoke(self, event: object, *, seconds: float = FUNCTION_TIMEOUT_SECONDS) -> Answer:
        """Let the function answer one event, with so much of its time left."""
        invocation = Invocation.of(event, seconds=seconds)
        self._api.invocations.put(invocation)
        answer = self.posted()
        assert answer.request_id == invocation.request_id
        return answer

    def posted(self) -> Answer:
        """The next thing that the runtime posts."""
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                return self._api.answers.get(timeout=0.2)
            except queue.Empty:
                assert self._process.poll() is None, f"The runtime ended: {self._output.read_text('utf-8')}"
        raise AssertionError(f"No answer in {PATIENCE_SECONDS} s: {self._output.read_text('utf-8')}")

    def exit_code(self) -> int:
        return self._process.wait(PATIENCE_SECONDS)

    def events(self) -> list[str]:
        """The log events since the last look that pass the function's log level.

        What is written to an output is an event for each line, a frame is one event whatever it holds. A JSON
        object without a level counts as INFO.
        https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
        """
        lines = self._unseen(self._output).decode().split("\n")
        assert lines.pop() == "", "a line without its end"
        return [event for event in [*lines, *_messages(self._unseen(self._frames))] if self._passes(event)]

    def objects(self) -> list[Any]:
        """The log events, each of which has to be JSON."""
        return [json.loads(event) for event in self.events()]

    def _unseen(self, file: Path) -> bytes:
        content = file.read_bytes()[self._seen[file] :]
        self._seen[file] += len(content)
        return content

    def _passes(self, event: str) -> bool:
        try:
            level = json.loads(event)["level"]
        except (ValueError, TypeError, KeyError):
            level = "INFO"
        return not self._level or LEVELS.index(level) >= LEVELS.index(self._level)


@contextmanager
def started(
    function: DeployedFunction,
    folder: Path,
    *,
    packages: list[Path],
    endpoint: str,
    variables: dict[str, str] | None = None,
    log_format: str | None = None,
    log_level: str = "",
    keeps_connections: bool = True,
) -> Iterator[Environment]:
    """Start a function as Lambda does: its archive unpacked, the runtime and nothing else beside it."""
    task = folder / "task"
    zipfile.ZipFile(io.BytesIO(function.archive)).extractall(task)
    with (
        runtime_api(keeps_connections=keeps_connections) as api,
        (folder / "output").open("wb") as output,
        (folder / "frames").open("wb") as frames,
    ):
        environment = {
            **function.variables,
            **(variables or {}),
            "AWS_LAMBDA_RUNTIME_API": api.address,
            "AWS_LAMBDA_FUNCTION_NAME": "under-test",
            "AWS_LAMBDA_LOG_FORMAT": log_format or function.log_format,
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "AWS_EXECUTION_ENV": f"AWS_Lambda_{DEPLOYED_RUNTIME}",
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_REGION": "eu-west-3",
            "AWS_DEFAULT_REGION": "eu-west-3",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_SESSION_TOKEN": "testing",
            "LAMBDA_TASK_ROOT": str(task),
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "PATH": os.defpath,
            "PYTHONPATH": os.pathsep.join(map(str, packages)),
            "_HANDLER": function.handler,
            "_LAMBDA_TELEMETRY_LOG_FD": str(frames.fileno()),
            **({"AWS_LAMBDA_LOG_LEVEL": log_level} if log_level else {}),
        }
        process = subprocess.Popen(
            [sys.executable, "-S", "-m", "awslambdaric", function.handler],
            cwd=task,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=[frames.fileno()],
        )
        try:
            yield Environment(api, process, folder, log_level)
        finally:
            process.kill()
            process.wait()


def _messages(frames: bytes) -> Iterator[str]:
    while frames:
        length = int.from_bytes(frames[_TYPE_BYTES : _TYPE_BYTES + _LENGTH_BYTES], "big")
        yield frames[_HEADER_BYTES : _HEADER_BYTES + length].decode()
        frames = frames[_HEADER_BYTES + length :]
