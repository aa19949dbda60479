"""Redrive for the emulator: StartMessageMoveTask, ListMessageMoveTasks, CancelMessageMoveTask.

ministack 1.5.33 answers InvalidAction to all three. A task moves messages out of a dead-letter queue at a
given rate, back to the queue each came from or to one destination; one task a queue at a time.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
"""

import asyncio
import base64
import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from ministack.services import sqs

MAX_MESSAGES_PER_SECOND = 500
DEFAULT_LISTED_TASKS = 1
UNSUPPORTED_OPERATION = "AWS.SimpleQueueService.UnsupportedOperation"

Message = dict[str, Any]
Queue = dict[str, Any]


@dataclass
class MoveTask:
    """One redrive: what was asked, and how far it has come."""

    source_arn: str
    destination_arn: str | None
    messages_per_second: int
    to_move: int
    task_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    started_ms: int = field(default_factory=lambda: int(time.time() * 1000))
    status: str = "RUNNING"
    moved: int = 0
    failure_reason: str | None = None

    @property
    def handle(self) -> str:
        """The opaque handle, made as AWS makes it: base64 of the task's id and source."""
        return base64.b64encode(
            json.dumps({"taskId": self.task_id, "sourceArn": self.source_arn}).encode()
        ).decode()

    def described(self) -> dict[str, Any]:
        """The task as ListMessageMoveTasks answers it; only a running one shows its handle."""
        optional = {
            "TaskHandle": self.handle if self.status == "RUNNING" else None,
            "DestinationArn": self.destination_arn,
            "FailureReason": self.failure_reason,
        }
        return {name: value for name, value in optional.items() if value is not None} | {
            "Status": self.status,
            "SourceArn": self.source_arn,
            "MaxNumberOfMessagesPerSecond": self.messages_per_second,
            "ApproximateNumberOfMessagesMoved": self.moved,
            "ApproximateNumberOfMessagesToMove": self.to_move,
            "StartedTimestamp": self.started_ms,
        }


_tasks: list[MoveTask] = []
_runners: set[asyncio.Task[None]] = set()  # asyncio itself keeps only weak references


def install() -> None:
    """Adds the three actions to the emulator's table of SQS actions."""
    sqs._HANDLERS.update(
        {
            "StartMessageMoveTask": _start,
            "ListMessageMoveTasks": _list,
            "CancelMessageMoveTask": _cancel,
        }
    )


async def _start(request: dict[str, Any], _queue_url: str) -> dict[str, Any]:
    source = _queue(request.get("SourceArn", ""))
    destination_arn = request.get("DestinationArn")
    if destination_arn is not None:
        _queue(destination_arn)
    rate = int(request.get("MaxNumberOfMessagesPerSecond", MAX_MESSAGES_PER_SECOND))
    if not 1 <= rate <= MAX_MESSAGES_PER_SECOND:
        raise sqs._Err(
            "InvalidParameterValue",
            f"MaxNumberOfMessagesPerSecond must be 1 to {MAX_MESSAGES_PER_SECOND}, not {rate}.",
        )
    source_arn = source["attributes"]["QueueArn"]
    if not any(_dead_letters_go_to(queue, source_arn) for _, queue in sqs._queues.items()):
        raise sqs._Err(UNSUPPORTED_OPERATION, "Source queue must be configured as a Dead Letter Queue.")
    if any(task.source_arn == source_arn and task.status == "RUNNING" for task in _tasks):
        raise sqs._Err(UNSUPPORTED_OPERATION, "There is already a task running for this queue.")
    task = MoveTask(source_arn, destination_arn, rate, to_move=len(source["messages"]))
    _tasks.insert(0, task)
    runner = asyncio.get_running_loop().create_task(_run(task, source))
    _runners.add(runner)
    runner.add_done_callback(_runners.discard)
    return {"TaskHandle": task.handle}


def _list(request: dict[str, Any], _queue_url: str) -> dict[str, Any]:
    source_arn = _queue(request.get("SourceArn", ""))["attributes"]["QueueArn"]
    limit = int(request.get("MaxResults", DEFAULT_LISTED_TASKS))
    return {"Results": [task.described() for task in _tasks if task.source_arn == source_arn][:limit]}


def _cancel(request: dict[str, Any], _queue_url: str) -> dict[str, Any]:
    for task in _tasks:
        if task.handle == request.get("TaskHandle") and task.status == "RUNNING":
            task.status = "CANCELLED"
            return {"ApproximateNumberOfMessagesMoved": task.moved}
    raise sqs._Err("ResourceNotFoundException", "No running task has this handle.", 404)


async def _run(task: MoveTask, source: Queue) -> None:
    while task.status == "RUNNING":
        message = next((each for each in source["messages"] if each["visible_at"] <= time.time()), None)
        if message is None:
            task.status = "COMPLETED"
            return
        target = sqs._queue_by_arn(task.destination_arn or message["sys"].get("DeadLetterQueueSourceArn", ""))
        if target is None:
            task.status, task.failure_reason = "FAILED", "NonExistentQueue"
            return
        source["messages"].remove(message)
        target["messages"].append(_as_new(message))
        task.moved += 1
        await asyncio.sleep(1 / task.messages_per_second)


def _as_new(message: Message) -> Message:
    """A moved message is a new one to its queue: new id, new time, no receives yet."""
    now = time.time()
    return message | {
        "id": str(uuid.uuid4()),
        "receipt_handle": None,
        "receive_count": 0,
        "first_receive_at": None,
        "sent_at": now,
        "enqueued_at": now,
        "visible_at": now,
        "sys": sqs._build_send_sys_attrs(now, {}),
    }


def _queue(arn: str) -> Queue:
    queue: Queue | None = sqs._queue_by_arn(arn) if arn.startswith("arn:") else None
    if queue is None:
        raise sqs._Err("ResourceNotFoundException", "The resource that you specified doesn't exist.", 404)
    return queue


def _dead_letters_go_to(queue: Queue, dead_letter_arn: str) -> bool:
    policy = json.loads(queue["attributes"].get("RedrivePolicy") or "{}")
    return bool(policy.get("deadLetterTargetArn") == dead_letter_arn)
