"""One event source mapping, read from Lambda's own description of it."""

from collections.abc import Mapping as Description
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

REPORT_FAILURES = "ReportBatchItemFailures"
FOR_EVER = -1

SourceKind = Literal["queue", "stream"]


class InvalidMapping(ValueError):  # noqa: N818 - a public name, read as `raise InvalidMapping`
    """Raised when AWS would refuse a mapping, or this event source cannot honour one of its settings."""


def source_kind(source_arn: str) -> SourceKind:
    """Tell what an event source ARN names.

    Raises:
        InvalidMapping: The ARN names neither an SQS queue nor a DynamoDB stream.
    """
    parts = source_arn.split(":", 5)
    service = parts[2] if len(parts) == 6 else ""  # noqa: PLR2004 - arn:partition:service:region:account:resource
    if service == "sqs":
        return "queue"
    if service == "dynamodb" and "/stream/" in parts[5]:
        return "stream"
    raise InvalidMapping(
        f"EventSourceArn is {source_arn!r}: give the ARN of an SQS queue, or of a DynamoDB table's stream "
        "(its LatestStreamArn, not the table's own ARN)."
    )


@dataclass(frozen=True)
class Mapping:
    """The settings a poller works by; equal mappings are polled alike.

    Times are in seconds. `retries` and `record_age_seconds` are None where AWS says -1, "for ever".
    https://docs.aws.amazon.com/lambda/latest/api/API_GetEventSourceMapping.html
    """

    uuid: str
    source_arn: str
    function_arn: str
    enabled: bool
    batch_size: int
    window_seconds: float = 0
    filters: tuple[str, ...] = ()
    reports_failures: bool = False
    maximum_concurrency: int | None = None
    starting_position: str = "TRIM_HORIZON"
    parallelization: int = 1
    retries: int | None = None
    record_age_seconds: float | None = None
    bisects: bool = False
    destination_arn: str | None = None

    @classmethod
    def parse(cls, description: Description[str, Any]) -> Self:
        """Read an entry of ListEventSourceMappings, or a GetEventSourceMapping answer.

        Raises:
            InvalidMapping: The source is neither a queue nor a DynamoDB stream. `limits.check_stored` checks the rest.
        """
        kind = source_kind(description["EventSourceArn"])
        filters = (description.get("FilterCriteria") or {}).get("Filters") or []
        destination = (description.get("DestinationConfig") or {}).get("OnFailure") or {}
        return cls(
            uuid=description["UUID"],
            source_arn=description["EventSourceArn"],
            function_arn=description["FunctionArn"],
            enabled=description["State"] == "Enabled",
            batch_size=description.get("BatchSize") or DEFAULT_BATCH_SIZE[kind],
            window_seconds=description.get("MaximumBatchingWindowInSeconds") or 0,
            filters=tuple(entry["Pattern"] for entry in filters),
            reports_failures=REPORT_FAILURES in (description.get("FunctionResponseTypes") or []),
            maximum_concurrency=(description.get("ScalingConfig") or {}).get("MaximumConcurrency"),
            starting_position=description.get("StartingPosition") or "TRIM_HORIZON",
            parallelization=description.get("ParallelizationFactor") or 1,
            retries=_finite(description.get("MaximumRetryAttempts")),
            record_age_seconds=_finite(description.get("MaximumRecordAgeInSeconds")),
            bisects=bool(description.get("BisectBatchOnFunctionError")),
            destination_arn=destination.get("Destination"),
        )

    @property
    def kind(self) -> SourceKind:
        """Whether the source is a queue or a stream."""
        return source_kind(self.source_arn)

    @property
    def region(self) -> str:
        """The source's region, as its ARN says it."""
        return self.source_arn.split(":")[3]

    def accelerated(self, speed: float) -> Self:
        """The same mapping with its waits divided by `speed`; what is deployed stays as it is."""
        age = self.record_age_seconds
        return replace(
            self,
            window_seconds=self.window_seconds / speed,
            record_age_seconds=None if age is None else age / speed,
        )


# https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html, BatchSize
DEFAULT_BATCH_SIZE: dict[SourceKind, int] = {"queue": 10, "stream": 100}


def _finite(value: int | None) -> int | None:
    return None if value in (None, FOR_EVER) else value
