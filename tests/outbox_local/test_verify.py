"""`outbox verify` on a stack in use: other orders are counted and another dead-letter message is there meanwhile."""

from collections.abc import Callable, Iterator

import pytest

from outbox_cli.dead_letters.messages import list_dead_letters
from outbox_cli.dead_letters.redrive import move
from outbox_cli.demo.show import Quiet
from outbox_cli.demo.stepping import StepResult
from outbox_cli.fault import switch
from outbox_cli.orders.sending import place
from outbox_cli.stack.deployed import Stack, stack_of
from outbox_cli.verify.exercise import verify
from outbox_local.clients import Clients
from outbox_local.emulator import reserve_port
from outbox_local.environment import LocalAws, run_local_aws
from outbox_local.program import read_stack_config
from tests.outbox_local.conftest import REGION
from tools.repository import PROGRAM_DIRECTORY


@pytest.fixture
def aws() -> Iterator[LocalAws]:
    config = read_stack_config(PROGRAM_DIRECTORY, "dev", {"aws:region": REGION})
    with run_local_aws(reserve_port(0), config, PROGRAM_DIRECTORY, speed=60) as running:
        yield running


class Busy(Quiet):
    """Places another order beside each step."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self.placed = 0

    def done(self, result: StepResult) -> None:
        self.placed += 1
        place(self._stack, {"order_id": f"other-{self.placed}", "amount_cents": 7})


@pytest.mark.thorough
def test_verify_beside_other_orders_and_dead_letters_touches_its_own_alone(aws: LocalAws) -> None:
    stack = stack_of(aws, "dev")
    stack.clients("sqs").send_message(QueueUrl=stack["dead_letter_queue_url"], MessageBody="of somebody else")
    busy = Busy(stack)

    result = verify(stack, busy, has_fault=True, poll_seconds=0.2)

    assert [step for step in result.steps if not step.ok] == []
    assert len(result.steps) == 19
    assert result.other_events
    assert result.added.order_count > len(result.order_ids) == 2
    assert [each.body for each in list_dead_letters(stack, with_bodies=True).messages] == ["of somebody else"]
    assert switch.FAULT_VARIABLE not in switch.read_variables(stack)


def test_chosen_message_reaches_the_queue_with_its_attributes_on_the_emulator(
    clients: Clients, fresh_name: Callable[[str], str]
) -> None:
    sqs = clients("sqs")
    names = {"queue_url": fresh_name("queue"), "dead_letter_queue_url": fresh_name("dead")}
    urls = {output: sqs.create_queue(QueueName=name)["QueueUrl"] for output, name in names.items()}
    stack = Stack("dev", urls | {"projection_table_name": "of-no-event"}, clients)
    attributes = {"tenant": {"DataType": "String", "StringValue": "a"}}
    sent = sqs.send_message(
        QueueUrl=stack["dead_letter_queue_url"], MessageBody="with attributes", MessageAttributes=attributes
    )

    moved = move(stack, 10, lambda message: message.message_id == sent["MessageId"])

    answer = sqs.receive_message(
        QueueUrl=stack["queue_url"], MessageAttributeNames=["All"], WaitTimeSeconds=5
    )
    assert len(moved.moved) == 1
    assert [each["Body"] for each in answer["Messages"]] == ["with attributes"]
    assert answer["Messages"][0]["MessageAttributes"] == attributes
    assert "Messages" not in sqs.receive_message(QueueUrl=stack["dead_letter_queue_url"])
