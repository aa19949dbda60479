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

from engine.stack import copy_program
from outbox_cli import queue_messages
from outbox_cli.fault.switch import FAULT_VARIABLE, read_variables, set_fault
from outbox_cli.orders.sending import place
from outbox_cli.relay_failures.failures import QUEUE
from outbox_cli.stack.deployed import Stack, stack_of
from outbox_cli.status.stored import count_messages
from outbox_cli.trace.facts import trace_event
from outbox_cli.waiting import Wait
from outbox_local.emulator import reserve_port
from outbox_local.environment import LocalAws, run_local_aws
from outbox_local.program import read_stack_config
from outbox_local.running import STATE_FOLDER_VARIABLE, RunningAws, StateFolder
from tests.outbox_cli.relay_failures.batches import ABANDONED_BATCH
from tests.outbox_cli.verbs import commands_of_runbook, files_of_examples, run_verb, verbs_on_a_stack
from tools.repository import PROGRAM_DIRECTORY

REGION = "eu-central-1"
SPEED = 60.0
PATIENCE = Wait(timeout_seconds=60)
ORDER = {"order_id": "order-a", "amount_cents": 1000}
EVENT_ID = f"order-created:{ORDER['order_id']}"
ACCEPTED_TO_APPLIED = 3  # lines in the logs

# What differs from one run to the next wherever it happens: times, new identities, how often a message was received.
NEW_ID = re.compile(r"verify-[0-9a-f]{12}")
VOLATILE = {"at", "at_ms", "message_id", "read_at", "receive_count", "sent_at_ms", "since", "seconds"}

ACTING = (
    *("correct", "dlq delete", "dlq redrive --max-per-second", "fault", "place"),
    *("reconcile --resend", "relay-failures clear", "send", "verify"),
)
NOT_COMPARED = {"watch", "capacity"}  # has no end; asks no stack
DELETE_DRY = "dlq delete MESSAGE_ID --only unreadable --dry-run"

Run = Callable[..., tuple[int, Any]]


@pytest.fixture(scope="module")
def aws() -> Iterator[LocalAws]:
    settings = {"aws:region": REGION, "transactional-outbox:failureQueue": "true"}
    config = read_stack_config(PROGRAM_DIRECTORY, "dev", settings)
    with run_local_aws(reserve_port(0), config, PROGRAM_DIRECTORY, speed=SPEED) as running:
        stack = stack_of(running, "dev")
        place(stack, ORDER)
        PATIENCE.until(lambda: trace_event(stack, EVENT_ID), lambda lines: len(lines) == ACCEPTED_TO_APPLIED)
        yield running


@pytest.fixture
def settled(aws: LocalAws) -> Callable[[], None]:
    """Waits until nothing is on its way, so that two verbs see the same; the fault is off."""
    stack = stack_of(aws, "dev")

    def settle() -> None:
        if FAULT_VARIABLE in read_variables(stack):
            set_fault(stack, None)
        seen = PATIENCE.until(lambda: count_messages(stack, stack["queue_url"]), lambda seen: seen.empty)
        assert seen.empty

    return settle


@pytest.fixture
def run(
    aws: LocalAws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """Runs a verb with --json and returns its exit code and its answer, without what is volatile."""
    endpoint, outputs = aws.clients.endpoint, dict(aws.deployment.outputs)
    for name, value in endpoint.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(STATE_FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(queue_messages, "RECEIVE_WAIT_SECONDS", 0)
    program = copy_program(tmp_path / "program")
    monkeypatch.chdir(program)
    files_of_examples(program)
    (tmp_path / "dev.json").write_text(json.dumps(outputs))
    folder = StateFolder(tmp_path)

    def run(*arguments: str) -> tuple[int, Any]:
        code = run_verb(monkeypatch, *arguments, "--json")
        said = capsys.readouterr()
        assert said.out, said.err
        return code, _steady(json.loads(said.out))

    with folder.locked():
        folder.write(RunningAws(**vars(endpoint), pid=0, stack="dev", speed=SPEED, outputs=outputs))
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


def commands() -> list[str]:
    """Those that only look come first: what a delivery logs and reports arrives a moment after it has ended."""
    return sorted(_told(), key=lambda command: command.startswith(ACTING))


def _told() -> Iterator[str]:
    """What docs/runbook.md says of each verb, and the help's example of the others."""
    told = [each for each in commands_of_runbook() if each.split()[0] not in NOT_COMPARED]
    for command in told:
        yield command
        if command.startswith(DELETE_DRY):
            yield command.removesuffix(" --dry-run")
    for verb in verbs_on_a_stack():
        if not any(tuple(each.split()[: len(verb.words)]) == verb.words for each in told):
            yield " ".join(verb.example)


class Prepared:
    """Gives each command what it needs to find, and the words for what its text leaves open."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._messages: list[str] = []

    def words(self, command: str) -> list[str]:
        if command.startswith("correct"):
            self._park()
        if command == "relay-failures clear":
            self._send(QUEUE, json.dumps(ABANDONED_BATCH))
        if command.startswith(DELETE_DRY):
            self._messages.append(self._send("dead_letter_queue_url", "not an event"))
        order_id = str(ORDER["order_id"])
        filled = {"ORDER": order_id, "EVENT": EVENT_ID, "FILE": "corrected.json"}
        if command.startswith("dlq delete"):
            filled["MESSAGE_ID"] = (
                self._messages[-1] if command.startswith(DELETE_DRY) else self._messages.pop()
            )
        words = [filled.get(word, word) for word in command.split()]
        return [*words, "--without-fault"] if command == "verify" else words

    def _send(self, queue: str, body: str) -> str:
        sent = self._stack.clients("sqs").send_message(QueueUrl=self._stack[queue], MessageBody=body)
        return str(sent["MessageId"])

    def _park(self) -> None:
        self._stack.clients("dynamodb").update_item(
            TableName=self._stack["source_table_name"],
            Key={"PK": {"S": f"OUTBOX#{EVENT_ID}"}, "SK": {"S": "EVENT"}},
            UpdateExpression="REMOVE body",
        )


def test_every_verb_answers_the_same_on_the_local_aws_and_on_aws(
    aws: LocalAws, run: Run, settled: Callable[[], None], tmp_path: Path
) -> None:
    """One test, as a local AWS takes longer to start than all of them to run."""
    prepared = Prepared(stack_of(aws, "dev"))
    answers = {}

    for command in commands():
        settled()
        on_local = run(*prepared.words(command))
        settled()
        answers[command] = on_local, run(*prepared.words(command), "--aws", str(tmp_path / "dev.json"))

    differing = {command: both for command, both in answers.items() if both[0] != both[1]}
    assert differing == {}
    assert {command: on_aws for command, (_, on_aws) in answers.items() if on_aws[0] != 0} == {}
    assert len(answers) > len(verbs_on_a_stack())


@pytest.mark.thorough
def test_verify_with_its_fault_answers_the_same_on_the_local_aws_and_on_aws(
    run: Run, settled: Callable[[], None], tmp_path: Path
) -> None:
    settled()

    on_local = run("verify")
    settled()
    on_aws = run("verify", "--aws", str(tmp_path / "dev.json"))

    assert on_local == on_aws
    assert on_local[0] == 0
