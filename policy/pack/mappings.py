"""Kind of source that an event source mapping reads, by what is known of it.

https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
"""

from pack.resources import Resource

KAFKA_PROPERTIES = ("selfManagedEventSource", "amazonManagedKafkaEventSourceConfig", "topics")


def reads_stream(mapping: Resource) -> bool:
    """Whether it reads a DynamoDB or Kinesis stream; only streams need a starting position."""
    service = _service(mapping)
    if service is not None:
        return service in {"dynamodb", "kinesis"}
    return mapping.get("startingPosition") is not None and not _reads_broker(mapping)


def reads_queue(mapping: Resource) -> bool:
    """Whether it reads an SQS queue."""
    service = _service(mapping)
    return not (reads_stream(mapping) or _reads_broker(mapping)) if service is None else service == "sqs"


def _reads_broker(mapping: Resource) -> bool:
    return any(mapping.get(name) is not None for name in (*KAFKA_PROPERTIES, "queues"))


def _service(mapping: Resource) -> str | None:
    """The service in the source's ARN, if that is known."""
    source = mapping.get("eventSourceArn")
    return source.split(":")[2] if isinstance(source, str) and source.count(":") >= 5 else None  # noqa: PLR2004 - ARN
