"""SQS's standard queues: visibility timeouts, receive counts, dead-letter queues, and retention.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from botocore.exceptions import ParamValidationError

from tools.simulation.clock import VirtualClock
from tools.simulation.errors import client_error

BODY_BYTES_MOST = 1_048_576
CALL_ENTRIES_MOST = 10
_REFUSED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Message(NamedTuple):
    """One message; its receipt handle is that of its last receive. Times in epoch seconds."""

    id: str
    body: str
    sent_at: float
    receives: int = 0
    visible_at: float = 0.0
    attributes: Mapping[str, Any] | None = None

    @property
    def receipt_handle(self) -> str:
        """Changes with each receive, so a handle of an earlier one deletes nothing."""
        return f"{self.id}/{self.receives}"


class Queue:
    """Messages by id, in the order in which they will be received; whoever holds it may change that order."""

    def __init__(
        self,
        name: str,
        clock: VirtualClock,
        *,
        retention_seconds: float,
        visibility_seconds: float = 30,
        dead_letters: "Queue | None" = None,
        receives_most: int | None = None,
    ) -> None:
        self.name = name
        self.visibility_seconds = visibility_seconds
        self.dead_letters = dead_letters
        self.messages: dict[str, Message] = {}
        self.expired: list[Message] = []
        self._clock = clock
        self._retention_seconds = retention_seconds
        self._receives_most = receives_most
        self._sent = 0
        self._oldest_sent_at = clock.now()  # or earlier: spares a look at every message

    def send(self, body: str, attributes: Mapping[str, Any] | None = None) -> Message:
        """Add a message that can be received at once.

        Raises:
            ParamValidationError: The body is no text, which boto3 itself refuses.
            ClientError: SQS refuses the body.
        """
        if not isinstance(body, str):
            raise ParamValidationError(report=f"MessageBody is {type(body).__name__}, not str")
        if not body or _REFUSED.search(body) or len(body.encode()) > BODY_BYTES_MOST:
            raise client_error(
                "SendMessage", "InvalidMessageContents", "the body is empty, too long or refused"
            )
        self._sent += 1
        now = self._clock.now()
        message = Message(
            f"{self.name}-{self._sent}", body, sent_at=now, visible_at=now, attributes=attributes
        )
        self.messages[message.id] = message
        return message

    def receive(self, count: int, visibility_seconds: float | None = None) -> list[Message]:
        """Receive up to so many visible messages; one received too often is dead-lettered."""
        now = self._clock.now()
        hidden_until = now + (self.visibility_seconds if visibility_seconds is None else visibility_seconds)
        self.expire()
        received: list[Message] = []
        for message in list(self.messages.values()):
            if len(received) == count:
                break
            if message.visible_at > now:
                continue
            if self.dead_letters and message.receives == self._receives_most:
                del self.messages[message.id]
                self.dead_letters.take(message._replace(receives=0))
                continue
            hidden = message._replace(receives=message.receives + 1, visible_at=hidden_until)
            self.messages[message.id] = hidden
            received.append(hidden)
        return received

    def delete(self, receipt_handle: str) -> None:
        """Delete by the handle of the last receive; an older one is accepted and does nothing."""
        message = self.messages.get(receipt_handle.rpartition("/")[0])
        if message and message.receipt_handle == receipt_handle:
            del self.messages[message.id]

    def show_again(self, message: Message, after_seconds: float = 0.0) -> None:
        """Make a message visible then, in place of when its visibility timeout ends; a deleted one returns.

        Both happen on AWS: a standard queue delivers at least once, and a copy can outlive a deletion.
        """
        current = self.messages.get(message.id, message)
        self.take(current._replace(visible_at=self._clock.now() + after_seconds))

    def take(self, message: Message) -> None:
        """Take a message over from another queue, with its id and age."""
        self.messages[message.id] = message
        self._oldest_sent_at = min(self._oldest_sent_at, message.sent_at)

    def expire(self) -> None:
        """Drop what is older than the retention."""
        oldest = self._clock.now() - self._retention_seconds
        if self._oldest_sent_at >= oldest:
            return
        for message in [each for each in self.messages.values() if each.sent_at < oldest]:
            self.expired.append(self.messages.pop(message.id))
        self._oldest_sent_at = min(
            (each.sent_at for each in self.messages.values()), default=self._clock.now()
        )


class Sqs:
    """The client of all queues; a queue's URL is its name."""

    def __init__(self, queues: Iterable[Queue]) -> None:
        self._queues = {queue.name: queue for queue in queues}

    def get_queue_url(self, **request: Any) -> dict[str, Any]:
        """The name again."""
        return {"QueueUrl": self._queue(request["QueueName"]).name}

    def get_queue_attributes(self, **request: Any) -> dict[str, Any]:
        """The visibility timeout and the counters."""
        queue = self._queue(request["QueueUrl"])
        queue.expire()
        hidden = sum(each.visible_at > queue._clock.now() for each in queue.messages.values())
        return {
            "Attributes": {
                "VisibilityTimeout": str(int(queue.visibility_seconds)),
                "ApproximateNumberOfMessages": str(len(queue.messages) - hidden),
                "ApproximateNumberOfMessagesNotVisible": str(hidden),
            }
        }

    def send_message(self, **request: Any) -> dict[str, Any]:
        """Send one body."""
        queue = self._queue(request["QueueUrl"])
        return {"MessageId": queue.send(request["MessageBody"], request.get("MessageAttributes")).id}

    def send_message_batch(self, **request: Any) -> dict[str, Any]:
        """Send up to ten bodies; a refused one fails alone, as the sender's fault."""
        queue, entries = self._queue(request["QueueUrl"]), request["Entries"]
        if len(entries) > CALL_ENTRIES_MOST:
            raise client_error("SendMessageBatch", "AWS.SimpleQueueService.TooManyEntriesInBatchRequest")
        if sum(len(entry["MessageBody"].encode()) for entry in entries) > BODY_BYTES_MOST:
            raise client_error("SendMessageBatch", "AWS.SimpleQueueService.BatchRequestTooLong")
        answer: dict[str, list[dict[str, Any]]] = {"Successful": [], "Failed": []}
        for entry in entries:
            sent = queue.send(entry["MessageBody"], entry.get("MessageAttributes"))
            answer["Successful"].append({"Id": entry["Id"], "MessageId": sent.id})
        return answer

    def receive_message(self, **request: Any) -> dict[str, Any]:
        """Receive up to ten messages; a long poll that finds nothing ends at once."""
        count = min(request.get("MaxNumberOfMessages", 1), CALL_ENTRIES_MOST)
        messages = self._queue(request["QueueUrl"]).receive(count, request.get("VisibilityTimeout"))
        return {"Messages": [_described(message) for message in messages]} if messages else {}

    def delete_message_batch(self, **request: Any) -> dict[str, Any]:
        """Delete up to ten messages."""
        for entry in request["Entries"]:
            self._queue(request["QueueUrl"]).delete(entry["ReceiptHandle"])
        return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]]}

    def change_message_visibility(self, **request: Any) -> dict[str, Any]:
        """Hide a received message for another time from now on."""
        queue = self._queue(request["QueueUrl"])
        message = queue.messages.get(request["ReceiptHandle"].rpartition("/")[0])
        if message and message.receipt_handle == request["ReceiptHandle"]:
            queue.show_again(message, request["VisibilityTimeout"])
        return {}

    def change_message_visibility_batch(self, **request: Any) -> dict[str, Any]:
        """Hide up to ten received messages for another time from now on."""
        for entry in request["Entries"]:
            self.change_message_visibility(QueueUrl=request["QueueUrl"], **entry)
        return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]]}

    def _queue(self, name: str) -> Queue:
        if name not in self._queues:
            raise client_error(
                "SQS", "AWS.SimpleQueueService.NonExistentQueue", f"there is no queue {name!r}"
            )
        return self._queues[name]


def _described(message: Message) -> dict[str, Any]:
    return {
        "MessageId": message.id,
        "ReceiptHandle": message.receipt_handle,
        "Body": message.body,
        "MD5OfBody": hashlib.md5(message.body.encode(), usedforsecurity=False).hexdigest(),
        "Attributes": {
            "ApproximateReceiveCount": str(message.receives),
            "SentTimestamp": str(int(message.sent_at * 1000)),
        },
        **({"MessageAttributes": message.attributes} if message.attributes else {}),
    }
