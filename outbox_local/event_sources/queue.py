"""A mapping of an SQS queue: receives, invokes, deletes what succeeded, leaves the rest to its visibility timeout.

Sources: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html and
https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html.
"""

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from .clock import Clock
from .events import Record, bytes_taken, encode, queue_record, within_payload
from .filters import body_of, compile_body_filters
from .invocation import NotInvoked, Outcome, invoke
from .mapping import Mapping
from .observation import Observation, Observer, delivery, ignore
from .responses import failed_identifiers
from .sessions import MakeClient

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient
    from types_boto3_sqs import SQSClient
    from types_boto3_sqs.type_defs import DeleteMessageBatchRequestEntryTypeDef

logger = logging.getLogger(__name__)

CALL_MESSAGES_MOST = 10  # of one ReceiveMessage or DeleteMessageBatch call
LONG_POLL_SECONDS = 1  # AWS waits 20 s; a shorter wait lets the poller stop quickly
WINDOW_POLL_SECONDS = 0.1
THROTTLE_PAUSE_SECONDS = 1.0


class QueuePoller:
    """One step collects a batch and delivers it; a mapping runs several pollers side by side.

    Args:
        mapping: The mapping as deployed.
        make_client: Clients for the function's role, which reads, and for the operator, who invokes.
        speed: Divides the batching window, and the time for which a failed message stays invisible. A message
            being processed is invisible for as long as deployed, whatever the speed.
    """

    def __init__(
        self,
        mapping: Mapping,
        make_client: MakeClient,
        *,
        clock: Clock,
        observer: Observer = ignore,
        speed: float = 1.0,
    ) -> None:
        self._mapping = mapping.accelerated(speed)
        self._lambda: LambdaClient = make_client("lambda", None)
        role_arn = self._lambda.get_function_configuration(FunctionName=mapping.function_arn)["Role"]
        self._sqs: SQSClient = make_client("sqs", role_arn)
        account, name = mapping.source_arn.split(":")[4:6]
        # The role has no sqs:GetQueueUrl, and needs none on AWS.
        self._operator: SQSClient = make_client("sqs", None)
        self._queue_url = self._operator.get_queue_url(QueueName=name, QueueOwnerAWSAccountId=account)[
            "QueueUrl"
        ]
        # AWS wants the right to it at creation and does not say when it makes use of it: here at each start.
        self._sqs.get_queue_attributes(QueueUrl=self._queue_url, AttributeNames=["VisibilityTimeout"])
        self._passes = compile_body_filters(mapping.filters)
        self._clock = clock
        self._observer = observer
        self._speed = speed

    def step(self) -> bool:
        """Deliver one batch; tells whether a message came.

        A delivery that ends in an error is raised once the other parts of the batch are delivered.
        """
        received = self._collect()
        errors = []
        for records, encoded in self._deliveries(received):
            try:
                self._deliver(records, encoded)
            except (BotoCoreError, ClientError) as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return bool(received)

    def receive(self) -> list[list[Record]]:
        """Collect one batch and answer what to deliver of it: one list of records an invocation."""
        return [records for records, _ in self._deliveries(self._collect())]

    def _deliveries(self, received: list[Record]) -> Iterator[tuple[list[Record], list[bytes]]]:
        """Records that pass the filters, in parts that each fit one invocation, and the same encoded."""
        wanted = self._filter(received)
        encoded = [encode(record) for record in wanted]
        while wanted:
            count = within_payload(map(bytes_taken, encoded))
            yield wanted[:count], encoded[:count]
            wanted, encoded = wanted[count:], encoded[count:]

    def _deliver(self, records: list[Record], encoded: list[bytes]) -> None:
        try:
            outcome = invoke(self._lambda, self._mapping.function_arn, encoded)
        except BotoCoreError:
            self._hasten(records)
            raise
        self.settle(records, outcome)

    def _collect(self) -> list[Record]:
        """Receive up to a batch: at most ten a call, and more calls as long as the window is open."""
        records = self._receive(self._mapping.batch_size, LONG_POLL_SECONDS)
        closes_at = self._clock.now() + self._mapping.window_seconds
        while records and len(records) < self._mapping.batch_size and not self._clock.stopped():
            left = closes_at - self._clock.now()
            if left <= 0:
                break
            try:
                more = self._receive(self._mapping.batch_size - len(records), 0)
            except (BotoCoreError, ClientError):
                logger.exception(
                    "mapping %s: the window ends early with %d messages: the queue cannot be read",
                    self._mapping.uuid,
                    len(records),
                )
                break
            records += more
            if not more:
                self._clock.wait(min(left, WINDOW_POLL_SECONDS))
        return records

    def _receive(self, wanted: int, wait_seconds: int) -> list[Record]:
        answer = self._sqs.receive_message(
            QueueUrl=self._queue_url,
            MaxNumberOfMessages=min(wanted, CALL_MESSAGES_MOST),
            WaitTimeSeconds=wait_seconds,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        return [
            queue_record(message, source_arn=self._mapping.source_arn, region=self._mapping.region)
            for message in answer.get("Messages", [])
        ]

    def _filter(self, records: list[Record]) -> list[Record]:
        """Keep what the filters let through; AWS deletes the rest from the queue."""
        if not self._mapping.filters:
            return records
        wanted: list[Record] = []
        unwanted: list[Record] = []
        for record in records:
            (wanted if self._passes(body_of(record["body"])) else unwanted).append(record)
        if unwanted:
            self._drop(unwanted)
        return wanted

    def _drop(self, unwanted: list[Record]) -> None:
        """Delete filtered messages; those that stay come again, and the wanted ones are delivered all the same."""
        try:
            self._delete(unwanted)
        except (BotoCoreError, ClientError):
            logger.exception(
                "mapping %s: %d filtered messages are not deleted, so they will come again",
                self._mapping.uuid,
                len(unwanted),
            )
        else:
            self._observer(Observation(self._mapping, "filtered", records=len(unwanted)))

    def settle(self, records: Sequence[Record], outcome: Outcome) -> None:
        """Delete what succeeded of one delivery, and leave the rest to its visibility timeout."""
        if isinstance(outcome, NotInvoked):
            # The receive counts all the same: throttling can move a healthy message to the dead-letter queue.
            logger.warning(
                "mapping %s: %d messages not delivered: %s", self._mapping.uuid, len(records), outcome.reason
            )
            self._hasten(records)
            self._observer(delivery(self._mapping, outcome, records=len(records), failed=len(records)))
            self._clock.wait(THROTTLE_PAUSE_SECONDS / self._speed)
            return
        failed = failed_identifiers(
            outcome.payload,
            function_error=outcome.function_error,
            identifiers=[record["messageId"] for record in records],
            reporting=self._mapping.reports_failures,
        )
        try:
            self._delete(record for record in records if record["messageId"] not in failed)
        finally:
            self._hasten(record for record in records if record["messageId"] in failed)
        self._observer(delivery(self._mapping, outcome, records=len(records), failed=len(failed)))

    def _hasten(self, records: Iterable[Record]) -> None:
        """Above speed 1, let failed messages come again after a fraction of the queue's visibility timeout.

        AWS does nothing of the kind, so the function's role has no right to it: the operator does it.
        """
        if self._speed == 1:
            return
        for record in records:
            attributes = self._operator.get_queue_attributes(
                QueueUrl=self._queue_url, AttributeNames=["VisibilityTimeout"]
            )["Attributes"]
            self._operator.change_message_visibility(
                QueueUrl=self._queue_url,
                ReceiptHandle=record["receiptHandle"],
                VisibilityTimeout=math.ceil(int(attributes["VisibilityTimeout"]) / self._speed),
            )

    def _delete(self, records: Iterable[Record]) -> None:
        done = list(records)
        for start in range(0, len(done), CALL_MESSAGES_MOST):
            page = done[start : start + CALL_MESSAGES_MOST]
            entries: list[DeleteMessageBatchRequestEntryTypeDef] = [
                {"Id": str(index), "ReceiptHandle": record["receiptHandle"]}
                for index, record in enumerate(page)
            ]
            try:
                answer = self._sqs.delete_message_batch(QueueUrl=self._queue_url, Entries=entries)
            except (BotoCoreError, ClientError):
                self._hasten(done[start:])
                raise
            for failure in answer.get("Failed", []):
                logger.warning(
                    "mapping %s: message %s was processed but not deleted (%s), so it will come again",
                    self._mapping.uuid,
                    page[int(failure["Id"])]["messageId"],
                    failure["Code"],
                )
