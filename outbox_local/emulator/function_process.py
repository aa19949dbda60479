"""The process of an execution environment: imports a handler and runs it as Lambda's own Python runtime does.

It finds what Lambda would have and nothing else: the archive, the standard library, boto3 with what that needs.
The emulator copies this file and starts it, so it imports nothing of this repository. Its answers go to the standard
output; whatever the function writes goes to the standard error, one event of the log in a line.
https://docs.aws.amazon.com/lambda/latest/dg/python-exceptions.html
https://github.com/aws/aws-lambda-python-runtime-interface-client says the words of each error.
"""

import importlib
import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder
from types import ModuleType, SimpleNamespace
from typing import Any, TextIO

END_OF_INVOCATION = "\0"
LINE_BREAK_IN_EVENT = "\r"
NO_BREAK_SPACE = "\u00a0"
SECONDS = "%Y-%m-%dT%H:%M:%S"

Failure = dict[str, Any]
Handler = Callable[[Any, Any], object]


class RuntimeFailure(Exception):  # noqa: N818 the runtime's own word for what it, and not the handler, finds wrong
    """An invocation that the runtime fails, with the type and the stack that it tells."""

    def __init__(self, error_type: str, message: str, stack: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.told = {"errorMessage": message, "errorType": error_type, "stackTrace": [*stack]}


class RuntimePackages:
    """Finds the packages of Lambda's runtime, behind those of the archive."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        self._folders = folders

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A package that is none of the runtime's is not there."""
        folder = self._folders.get(name)
        return PathFinder.find_spec(name, [folder], target) if folder and path is None else None


class LogLines(logging.Handler):
    """The handler that Lambda gives the root logger."""

    request_id = ""

    def __init__(self, *, writes_json: bool) -> None:
        super().__init__()
        self.writes_json = writes_json
        logging.Formatter.converter = time.gmtime
        text = "[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(aws_request_id)s\t%(message)s"
        self.setFormatter(logging.Formatter(text, SECONDS))

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one event."""
        record.aws_request_id = self.request_id
        if not self.writes_json:
            write(self.format(record))
            return
        known = vars(logging.makeLogRecord({})).keys() | {"aws_request_id", "message", "asctime"}
        entry = {
            "timestamp": time.strftime(f"{SECONDS}Z", time.gmtime(record.created)),
            "level": record.levelname,
            "message": record.msg
            if isinstance(record.msg, dict) and not record.args
            else record.getMessage(),
            "logger": record.name,
            "requestId": self.request_id,
            **{name: value for name, value in vars(record).items() if name not in known},
        }
        if record.exc_info and record.exc_info[0]:
            kind, error, trace = record.exc_info
            entry |= {
                "stackTrace": traceback.format_tb(trace),
                "errorType": kind.__name__,
                "errorMessage": str(error),
                "location": f"{record.pathname}:{record.funcName}:{record.lineno}",
            }
        write(json.dumps(entry, ensure_ascii=False, default=str))

    def failed(self, failure: Failure) -> None:
        """Writes what an invocation failed of."""
        if self.writes_json:
            now = time.strftime(f"{SECONDS}Z", time.gmtime())
            write(json.dumps({"timestamp": now, "level": "ERROR", **failure}, ensure_ascii=False))
        else:
            lines = [line for each in failure["stackTrace"] for line in each.splitlines()]
            texts = [line.lstrip(" ") for line in lines]
            indented = [
                text.rjust(len(line), NO_BREAK_SPACE) for text, line in zip(texts, lines, strict=True)
            ]
            first = f"[ERROR] {failure['errorType']}: {failure['errorMessage']}"
            write("\n".join([first, "Traceback (most recent call last):", *indented]))


def write(event: str) -> None:
    """Writes one event of the log, behind what was printed before."""
    sys.stdout.flush()
    line = event.rstrip("\n").replace("\n", LINE_BREAK_IN_EVENT)
    os.write(2, f"{line}\n".encode(errors="backslashreplace"))


def serve(standard_library: Sequence[str], packages: Mapping[str, str]) -> None:
    """Answers one invocation after the other, in the emulator's own words, until it closes the standard input."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    commands = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # the function's own standard input is empty
    os.dup2(2, 1)
    setting = json.loads(commands.readline())
    sys.path[:] = [setting["code_dir"], *standard_library]
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, PathFinder, RuntimePackages(packages)]
    lines = LogLines(writes_json=os.environ["AWS_LAMBDA_LOG_FORMAT"] == "JSON")
    logging.getLogger().addHandler(lines)
    if level := os.environ.get("AWS_LAMBDA_LOG_LEVEL"):
        logging.getLogger().setLevel({"TRACE": "DEBUG"}.get(level, level))
    handler = load(setting["module"], setting["handler"])
    channel.write('{"status": "ready"}\n')
    for line in commands:
        invocation = json.loads(line)
        lines.request_id = invocation["ctx"]["request_id"]
        _name_trace(invocation["ctx"].get("trace_id"))
        try:
            answer = {"status": "ok", "result": {"payload": invoke(handler, invocation, setting)}}
        except RuntimeFailure as failure:
            told = failure.told | {"requestId": lines.request_id if callable(handler) else ""}
            lines.failed(told)
            answer = {"status": "ok", "result": {"failure": told}}
            if not callable(handler):  # as on AWS, where the next environment starts anew
                handler = load(setting["module"], setting["handler"])
        _end_lines(sys.stdout, sys.stderr)
        channel.write(json.dumps(answer) + "\n")


def load(module: str, name: str) -> Handler | RuntimeFailure:
    """The handler, or what its import failed of: each invocation is told."""
    if not module:
        message = f"Bad handler '{name}': not enough values to unpack (expected 2, got 1)"
        return RuntimeFailure("Runtime.MalformedHandlerName", message)
    try:
        handler: Handler | None = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        return RuntimeFailure(
            "Runtime.ImportModuleError", f"Unable to import module '{module}': {_text(error)}"
        )
    except SyntaxError as error:
        place = f'  File "{error.filename}" Line {error.lineno}\n    {error.text}'
        message = f"Syntax error in module '{module}': {error}"
        return RuntimeFailure("Runtime.UserCodeSyntaxError", message, [place])
    except Exception as error:  # noqa: BLE001 the module is the user's
        return _raised(error)
    missing = RuntimeFailure("Runtime.HandlerNotFound", f"Handler '{name}' missing on module '{module}'")
    return missing if handler is None else handler


def invoke(
    handler: Handler | RuntimeFailure, invocation: Mapping[str, Any], setting: Mapping[str, Any]
) -> str:
    """The answer's JSON.

    Raises:
        RuntimeFailure: the handler raised, or answered what is no JSON, or was never there.
    """
    if isinstance(handler, RuntimeFailure):
        raise handler
    try:
        answer = handler(invocation["event"], _context(invocation["ctx"], setting))
    except Exception as error:
        raise _raised(error) from error
    try:
        text = json.dumps(answer, ensure_ascii=False, default=_number)
        text.encode()  # half a surrogate pair has no form in UTF-8
        return text
    except Exception as error:  # an object of the user's may raise anything while it is read
        raise RuntimeFailure("Runtime.MarshalError", f"Unable to marshal response: {_text(error)}") from error


def _raised(error: Exception) -> RuntimeFailure:
    """Error of the user's code; the frame of this file is not told."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    without_marks = [(frame.filename, frame.lineno, frame.name, frame.line) for frame in frames]
    return RuntimeFailure(type(error).__name__, _text(error), traceback.format_list(without_marks))  # type: ignore[arg-type]


def _text(error: Exception) -> str:
    """The message of an exception; one that cannot tell its own is no reason to end this process."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 the exception is the user's
        return "<exception str() failed>"


def _number(value: object) -> int | float:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _context(told: Mapping[str, Any], setting: Mapping[str, Any]) -> SimpleNamespace:
    end = time.monotonic() + told["timeout_ms"] / 1000
    return SimpleNamespace(
        aws_request_id=told["request_id"],
        invoked_function_arn=told["invoked_function_arn"],
        function_name=setting["function_name"],
        function_version=os.environ["AWS_LAMBDA_FUNCTION_VERSION"],
        memory_limit_in_mb=os.environ["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"],
        log_group_name=os.environ["AWS_LAMBDA_LOG_GROUP_NAME"],
        log_stream_name=os.environ["AWS_LAMBDA_LOG_STREAM_NAME"],
        identity=None,
        client_context=None,
        log=lambda text: write(str(text)),
        get_remaining_time_in_millis=lambda: max(0, int((end - time.monotonic()) * 1000)),
    )


def _name_trace(trace_id: str | None) -> None:
    os.environ.pop("_X_AMZN_TRACE_ID", None)
    if trace_id:
        os.environ["_X_AMZN_TRACE_ID"] = trace_id


def _end_lines(*streams: TextIO) -> None:
    for stream in streams:
        stream.flush()
    os.write(2, f"{END_OF_INVOCATION}\n".encode())
