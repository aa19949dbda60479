"""Runs functions with the isolation, the errors and the variables of Lambda's own Python runtime.

ministack 1.5.33 lets a function import whatever this environment has, tells `Runtime.HandlerError` of every error,
and has no variable for the log format. It also reads a function's lines for a time, in which one may be missing:
here the process marks their end.
"""

import inspect
import json
import queue
import re
import subprocess
import sys
import time
from importlib import metadata
from typing import Any

from ministack.core import lambda_runtime
from ministack.core.lambda_runtime import Worker
from ministack.services import lambda_svc

from outbox_local.emulator import function_process
from outbox_local.emulator.function_process import END_OF_INVOCATION

RUNTIME_DISTRIBUTION = "boto3"  # with what it needs: what Lambda's Python runtimes bring
ALL_LINES_SECONDS = 5.0
TIMED_OUT = re.compile(r"Task timed out after (.*) seconds")

Function = dict[str, Any]


def install() -> None:
    """Replaces the emulator's process, its way to run one invocation, and its reader of lines."""
    folders = {module: folder for name in _distributions() for module, folder in _modules(name).items()}
    isolated = [sys.executable, "-I", "-S", "-c", "import json, sys; print(json.dumps(sys.path))"]
    library = json.loads(subprocess.run(isolated, capture_output=True, check=True).stdout)
    source = inspect.getsource(function_process)
    lambda_runtime._PYTHON_WORKER_SCRIPT = f"{source}\n\nserve({library!r}, {folders!r})\n"
    lambda_svc._execute_function_warm = execute
    Worker._read_stderr = _read_lines
    Worker._drain_stderr = Worker._drain_stderr_bounded = _lines


def execute(function: Function, event: object, request_id: str) -> dict[str, Any]:
    """Runs one invocation, as the emulator asks for it; the log is the answer's, an event a line."""
    config = function["config"]
    lambda_svc._ensure_reaper_thread()
    version = config.get("Version", "$LATEST")
    environment, _ = lambda_runtime.acquire_worker(
        config["FunctionName"], with_variables(config), function["code_zip"], qualifier=version
    )
    try:
        answer = environment.invoke(
            event,
            request_id,
            trace_id=lambda_svc._xray_trace_id_for_invocation(config),
            invoked_function_arn=config["FunctionArn"],
        )
    except RuntimeError:  # its process ended while it imported the handler
        return _failed(request_id, "Runtime.ExitError", "Runtime exited without providing a reason")
    finally:
        lambda_svc.release_worker(environment)
    log, result = answer.get("log", ""), answer.get("result")
    if result is None:
        if timed_out := TIMED_OUT.fullmatch(answer["error"]):
            message = f"Task timed out after {float(config['Timeout']):.2f} seconds"
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            log = "\n".join(filter(None, [log, f"{now} {request_id} {timed_out[0]}"]))
            return _failed(request_id, "Sandbox.Timedout", message, log)
        return _failed(request_id, "Runtime.ExitError", "Runtime exited without providing a reason", log)
    if failure := result.get("failure"):
        return {"body": failure, "error": True, "log": log}
    return {"body": json.loads(result["payload"]), "log": log}


def with_variables(config: Function) -> Function:
    """The configuration with the variables that Lambda adds to a function's own, and a handler of two parts.

    https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
    """
    logging = config.get("LoggingConfig") or {}
    log_format = logging.get("LogFormat") or "Text"
    added = {
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{config['Runtime']}",
        "AWS_LAMBDA_LOG_FORMAT": log_format,
        "AWS_LAMBDA_LOG_GROUP_NAME": logging.get("LogGroup") or f"/aws/lambda/{config['FunctionName']}",
    }
    if log_format == "JSON":
        added["AWS_LAMBDA_LOG_LEVEL"] = logging.get("ApplicationLogLevel") or "INFO"
    own = (config.get("Environment") or {}).get("Variables") or {}
    handler = config["Handler"]  # the emulator ends at one without a module, the process can tell of it
    return config | {
        "Handler": handler if "." in handler else f".{handler}",
        "Environment": {"Variables": {**own, **added}},
    }


def _failed(request_id: str, error_type: str, message: str, log: str = "") -> dict[str, Any]:
    """The answer of the Lambda service where the function's process can tell nothing."""
    body = {"errorType": error_type, "errorMessage": f"RequestId: {request_id} Error: {message}"}
    return {"body": body, "error": True, "log": log}


def _read_lines(environment: Worker) -> None:
    """Hands on each line that the process writes, and the end of them all."""
    lines = environment._stderr_queue  # the next process has another
    for line in environment._proc.stderr.buffer:
        lines.put(line.decode(errors="replace").removesuffix("\n"))
    lines.put(END_OF_INVOCATION)


def _lines(environment: Worker) -> str:
    """The lines of the invocation that has just ended; a child of the function may hold their end back."""
    lines: list[str] = []
    end = time.monotonic() + ALL_LINES_SECONDS
    while True:
        try:
            line: str = environment._stderr_queue.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            return "\n".join(lines)
        if not line.endswith(END_OF_INVOCATION):
            lines.append(line)
            continue
        if rest := line.removesuffix(END_OF_INVOCATION):  # printed without an end of line
            lines.append(rest)
        return "\n".join(lines)


def _distributions() -> set[str]:
    """The distribution of Lambda's runtime and all that it needs."""
    found: set[str] = set()
    wanted = [RUNTIME_DISTRIBUTION]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            needed = [each for each in metadata.requires(name) or [] if "extra ==" not in each]
            wanted += [re.split(r"[^\w.-]", each, maxsplit=1)[0] for each in needed]
    return found


def _modules(name: str) -> dict[str, str]:
    """The top-level modules of a distribution, each with the folder in which it is found."""
    distribution = metadata.distribution(name)
    files = [file for file in distribution.files or [] if file.suffix == ".py"]
    return {file.parts[0].removesuffix(".py"): str(distribution.locate_file("")) for file in files}
