"""Every verb gives the same answer on the local AWS and on a stack on AWS, which is found and reached another way.

The AWS here is a stub on this machine: the emulator again, but found by the stack's outputs and reached through
the SDK's own endpoint setting and credentials, as on AWS.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local.clients import LOCAL_ACCESS_KEY_ID, LOCAL_SECRET_ACCESS_KEY
from local.emulator import reserve_port
from local.environment import LocalAws, run_local_aws
from local.paths import PROGRAM_DIRECTORY
from local.program import read_stack_config
from local.running import STATE_FOLDER_VARIABLE, RunningAws, StateFolder
from ops.dead_letters import held
from ops.demo.waiting import Wait
from ops.fault.switch import FAULT_VARIABLE, read_variables, set_fault
from ops.orders.sending import place
from ops.relay_failures.failures import QUEUE
from ops.stack.deployed import Stack, stack_of
from ops.status.stored import count_messages, read_totals
from tests.ops.relay_failures.test_failures import TOLD
from tests.ops.test_runbook_commands import commands_on_a_stack
from tests.ops.verbs import Verb, files_of_examples, run_verb, verbs_on_a_stack

REGION = "eu-central-1"
SPEED = 60.0
PATIENCE = Wait(timeout_seconds=60)
ORDER = {"order_id": "order-a", "amount_cents": 1000}

# What differs from one run to the next wherever it happens: times, new identities, and rates of this machine.
NEW_ID = re.compile(r"verify-[0-9a-f]{12}")
VOLATILE = {"at", "at_ms", "message_id", "read_at", "sent_at_ms", "since", "seconds"}

Run = Callable[..., tuple[int, Any]]


@pytest.fixture(scope="module")
def aws() -> Iterator[LocalAws]:
    settings = {"aws:region": REGION, "transactional-outbox:failureQueue": "true"}
    config = read_stack_config(PROGRAM_DIRECTORY, "dev", settings)
    with run_local_aws(reserve_port(0), config, speed=SPEED) as running:
        stack = stack_of(running, "dev")
        place(stack, ORDER)
        PATIENCE.until(lambda: read_totals(stack), lambda seen: seen.order_count == 1)
        yield running


@pytest.fixture
def settled(aws: LocalAws) -> Callable[[], Stack]:
    """Waits until nothing is on its way, so that two looks see the same; the fault is off."""
    stack = stack_of(aws, "dev")

    def settle() -> Stack:
        if FAULT_VARIABLE in read_variables(stack):
            set_fault(stack, None)
        seen = PATIENCE.until(lambda: count_messages(stack, stack["queue_url"]), lambda seen: seen.empty)
        assert seen.empty
        return stack

    return settle


@pytest.fixture
def run(
    aws: LocalAws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """Runs a verb with --json and returns its exit code and its answer, without what is volatile."""
    endpoint_url, outputs = aws.clients.endpoint_url, dict(aws.deployment.outputs)
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint_url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", LOCAL_ACCESS_KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", LOCAL_SECRET_ACCESS_KEY)
    monkeypatch.setenv(STATE_FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(held, "RECEIVE_WAIT_SECONDS", 0)
    monkeypatch.chdir(tmp_path)
    files_of_examples(tmp_path)
    (tmp_path / "dev.json").write_text(json.dumps(outputs))
    folder = StateFolder(tmp_path)

    def run(*arguments: str) -> tuple[int, Any]:
        code = run_verb(monkeypatch, *arguments, "--json")
        return code, _steady(json.loads(capsys.readouterr().out))

    with folder.locked():
        folder.write(RunningAws(0, endpoint_url, REGION, "dev", SPEED, outputs))
        yield run


def _steady(answer: Any) -> Any:
    """The answer with the names of types in the place of volatile values; the stack's own name is one of them."""
    if isinstance(answer, dict):
        return {
            name: type(value).__name__ if name in VOLATILE | {"stack"} else _steady(value)
            for name, value in answer.items()
        }
    if isinstance(answer, str):
        return NEW_ID.sub("verify-", answer)
    return [_steady(each) for each in answer] if isinstance(answer, list) else answer


def _dead_letter(stack: Stack) -> list[str]:
    sent = stack.clients("sqs").send_message(
        QueueUrl=stack["dead_letter_queue_url"], MessageBody="not an event"
    )
    return ["dlq", "delete", str(sent["MessageId"]), "--only", "unreadable"]


def _parked_row(stack: Stack) -> None:
    stack.clients("dynamodb").update_item(
        TableName=stack["source_table_name"],
        Key={"PK": {"S": f"OUTBOX#order-created:{ORDER['order_id']}"}, "SK": {"S": "EVENT"}},
        UpdateExpression="REMOVE body",
    )


def _batch_given_up(stack: Stack) -> None:
    stack.clients("sqs").send_message(QueueUrl=stack[QUEUE], MessageBody=json.dumps(TOLD))


# What a verb needs to find before each of its runs; what it returns stands for the example's words.
PREPARED: dict[str, Callable[[Stack], list[str] | None]] = {
    "dlq delete": _dead_letter,
    "correct": _parked_row,
    "relay-failures clear": _batch_given_up,
    "verify": lambda _: ["verify", "--without-fault"],
}


def _prepared(verb: Verb, stack: Stack) -> list[str]:
    prepare = PREPARED.get(str(verb))
    return (prepare and prepare(stack)) or verb.example


@pytest.mark.parametrize("verb", verbs_on_a_stack(), ids=str)
def test_verb_answers_the_same_on_the_local_aws_and_on_aws(
    verb: Verb, run: Run, settled: Callable[[], Stack], tmp_path: Path
) -> None:
    on_local = run(*_prepared(verb, settled()))
    on_aws = run(*_prepared(verb, settled()), "--aws", str(tmp_path / "dev.json"))

    assert on_local == on_aws
    assert on_local[0] == 0


def test_commands_of_the_runbook_run_as_they_are_written(run: Run, settled: Callable[[], Stack]) -> None:
    stack = settled()
    order_id = str(ORDER["order_id"])
    filled = {"ORDER": order_id, "EVENT": f"order-created:{order_id}", "FILE": "corrected.json"}
    codes = {}

    for command in commands_on_a_stack():
        if command.startswith("correct"):
            _parked_row(stack)
        if command.startswith("dlq delete"):
            filled["MESSAGE_ID"] = _dead_letter(stack)[2]
        codes[command], _ = run(*(filled.get(word, word) for word in command.split()))
        if command.startswith(
            "dlq delete"
        ):  # a dry run: left, it would be redriven, and come back for seconds
            run("dlq", "delete", filled["MESSAGE_ID"], "--only", "unreadable")

    assert len(codes) > 10
    assert [command for command, code in codes.items() if code != 0] == []


@pytest.mark.thorough
def test_verify_with_its_fault_answers_the_same_on_the_local_aws_and_on_aws(
    run: Run, settled: Callable[[], Stack], tmp_path: Path
) -> None:
    settled()

    on_local = run("verify")
    settled()
    on_aws = run("verify", "--aws", str(tmp_path / "dev.json"))

    assert on_local == on_aws
    assert on_local[0] == 0
