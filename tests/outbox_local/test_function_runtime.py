"""Modules that a function finds, answers of its caller and lines of its log, as Lambda's Python runtime has it."""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from outbox_local.clients import Clients
from tests.outbox_local.conftest import TRUST_POLICY

EXITED = "RequestId: .* Error: Runtime exited without providing a reason"
TIMED_OUT = "RequestId: .* Error: Task timed out after 1.00 seconds"


class Told(NamedTuple):
    """Outcome of invocations of one function."""

    answers: list[Any]
    errors: list[str | None]
    log: list[str]

    @property
    def answer(self) -> Any:
        return self.answers[-1]


class Run:
    """Makes a function of some source and invokes it."""

    def __init__(self, clients: Clients, name: str) -> None:
        self.clients = clients
        self.name = name
        policy = {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "logs:*", "Resource": "*"}],
        }
        self.role = clients("iam").create_role(RoleName=name, AssumeRolePolicyDocument=TRUST_POLICY)["Role"][
            "Arn"
        ]
        clients("iam").put_role_policy(RoleName=name, PolicyName="logs", PolicyDocument=json.dumps(policy))
        clients("logs").create_log_group(logGroupName=name)

    def __call__(
        self, source: str, handler: str = "own.handle", times: int = 1, **configuration: Any
    ) -> Told:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as target:
            target.writestr("own.py", source)
        functions = self.clients("lambda")
        functions.create_function(
            FunctionName=self.name,
            Role=self.role,
            Runtime="python3.14",
            Handler=handler,
            Code={"ZipFile": archive.getvalue()},
            LoggingConfig={"LogGroup": self.name, **configuration.pop("LoggingConfig", {})},
            **configuration,
        )
        functions.get_waiter("function_active_v2").wait(FunctionName=self.name, WaiterConfig={"Delay": 0.1})
        told = [functions.invoke(FunctionName=self.name, Payload=b'{"a": 1}') for _ in range(times)]
        events = self.clients("logs").filter_log_events(logGroupName=self.name)["events"]
        return Told(
            [json.load(each["Payload"]) for each in told],
            [each.get("FunctionError") for each in told],
            [event["message"] for event in events],
        )

    def end(self) -> None:
        self.clients("lambda").delete_function(FunctionName=self.name)
        self.clients("logs").delete_log_group(logGroupName=self.name)
        self.clients("iam").delete_role_policy(RoleName=self.name, PolicyName="logs")
        self.clients("iam").delete_role(RoleName=self.name)


@pytest.fixture
def run(clients: Clients, fresh_name: Callable[[str], str]) -> Iterator[Run]:
    run = Run(clients, fresh_name("function"))
    yield run
    run.end()


def test_function_reads_an_empty_standard_input_and_logs_by_its_context(run: Run) -> None:
    told = run(
        "import sys\ndef handle(event, context):\n    context.log('told')\n    return sys.stdin.read()\n"
    )

    assert told.answer == ""
    assert "told" in told.log


IMPORTS = """
import importlib
def handle(event, context):
    found = {}
    for name in %r:
        try:
            importlib.import_module(name)
        except ImportError as error:
            found[name] = str(error)
    return found
"""


def test_function_imports_what_lambda_has_and_nothing_else(run: Run) -> None:
    there = [
        "boto3",
        "botocore.session",
        "s3transfer",
        "jmespath",
        "urllib3",
        "dateutil",
        "six",
        "sqlite3",
        "own",
    ]
    missing = ["rich", "yaml", "pulumi", "pytest", "ministack", "outbox_local", "components", "outbox", "pip"]

    told = run(IMPORTS % [*there, *missing])

    assert told.answer == {name: f"No module named '{name}'" for name in missing}


@pytest.mark.parametrize(
    ("source", "handler", "error_type", "message"),
    [
        (
            "import rich",
            "own.handle",
            "Runtime.ImportModuleError",
            "Unable to import module 'own': .* 'rich'",
        ),
        ("", "handle", "Runtime.MalformedHandlerName", "Bad handler 'handle': not enough values .*"),
        ("import os\ndef handle(event, context): os._exit(3)", "own.handle", "Runtime.ExitError", EXITED),
        ("import os\nos._exit(3)", "own.handle", "Runtime.ExitError", EXITED),
        (
            "import time\ndef handle(event, context): time.sleep(9)",
            "own.handle",
            "Sandbox.Timedout",
            TIMED_OUT,
        ),
    ],
)
def test_failed_invocation_tells_what_lambda_tells_each_time(
    run: Run, source: str, handler: str, error_type: str, message: str
) -> None:
    told = run(source, handler, times=2, Timeout=1)

    assert told.errors == ["Unhandled"] * 2
    for answer in told.answers:
        assert answer["errorType"] == error_type
        assert re.fullmatch(message, answer["errorMessage"])


def test_raised_error_tells_its_stack_and_the_environment_stays(run: Run) -> None:
    source = "count = 0\ndef handle(event, context):\n    global count\n    count += 1\n    raise ValueError(count)\n"

    told = run(source, times=2)

    assert told.answer["errorMessage"] == "2"
    [frame] = told.answer["stackTrace"]
    assert frame.endswith('own.py", line 5, in handle\n    raise ValueError(count)\n')
    [error, _] = [event for event in told.log if event.startswith("[ERROR] ValueError: ")]
    assert error.startswith("[ERROR] ValueError: 1\nTraceback (most recent call last):\n\u00a0\u00a0File ")


WRITES = """
import logging, sys
def handle(event, context):
    print("words alone")
    print("no end of line", end="", file=sys.stderr)
    logging.getLogger("own").warning("careful", extra={"order": "o-1"})
    logging.getLogger("own").info("not said in Text")
    print('{"level": "ERROR", "timestamp": "2026-01-01T00:00:00Z", "message": "ours"}')
    logging.getLogger("own").error("two\\nlines")
    print("end", end="")
    return context.aws_request_id
"""


def test_text_log_has_an_event_for_each_line_and_each_record(run: Run) -> None:
    told = run(WRITES)

    start, *written, end, report = told.log
    assert start == f"START RequestId: {told.answer} Version: $LATEST"
    assert end == f"END RequestId: {told.answer}"
    assert report.startswith(f"REPORT RequestId: {told.answer}\tDuration: ")
    assert written[0] == "words alone"
    assert written[1].startswith("no end of line[WARNING]\t")
    assert written[1].endswith(f"Z\t{told.answer}\tcareful")
    assert written[2].startswith('{"level": "ERROR"')
    assert written[3].endswith(f"\t{told.answer}\ttwo\nlines")
    assert written[4:] == ["end"]


def messages(log: list[str]) -> list[Any]:
    """Each event by what it says: an object's type or message, or the text as it is."""
    parsed = [json.loads(event) if event.startswith("{") else event for event in log]
    return [each.get("type") or each["message"] if isinstance(each, dict) else each for each in parsed]


def test_json_log_has_objects_of_the_platform_and_of_each_record(run: Run) -> None:
    told = run(WRITES.replace("no end of line", "whole line\\n"), LoggingConfig={"LogFormat": "JSON"})

    assert messages(told.log) == [
        "platform.start", "words alone", "whole line", "careful", "not said in Text", "ours", "two\nlines", "end",
        "platform.report",
    ]  # fmt: skip
    start, careful, report = (json.loads(told.log[place]) for place in (0, 3, -1))
    assert start["record"] == {"requestId": told.answer, "version": "$LATEST"}
    assert (careful["level"], careful["logger"], careful["order"]) == ("WARNING", "own", "o-1")
    assert careful["requestId"] == report["record"]["requestId"] == told.answer
    assert report["record"]["status"] == "success"


def test_json_log_leaves_out_what_is_below_its_levels(run: Run) -> None:
    levels = {"LogFormat": "JSON", "ApplicationLogLevel": "ERROR", "SystemLogLevel": "WARN"}

    told = run(WRITES.replace("no end of line", "whole line\\n"), LoggingConfig=levels)

    assert messages(told.log) == ["ours", "two\nlines"]


def test_json_log_has_a_failure_as_one_object(run: Run) -> None:
    told = run("def handle(event, context): raise KeyError('gone')", LoggingConfig={"LogFormat": "JSON"})

    failure = json.loads(told.log[1])
    assert (failure["level"], failure["errorType"], failure["errorMessage"]) == (
        "ERROR",
        "KeyError",
        "'gone'",
    )
    assert failure["stackTrace"] == told.answer["stackTrace"]
    assert json.loads(told.log[-1])["record"]["status"] == "error"
