"""AWS clients whose slowest call still ends before the function's own timeout (outbox.retry computes it).

The SDK's defaults (60 s to connect, 60 s to read, 3 attempts or more) outlive a 10 s function, which
then dies without an answer: every message of its batch is delivered again.
https://docs.aws.amazon.com/botocore/latest/reference/config.html
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from botocore import __version__
from botocore.config import Config
from botocore.loaders import Loader
from botocore.session import Session

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_sqs import SQSClient

before_attempt: ContextVar[Callable[[], None]] = ContextVar("before_attempt", default=lambda: None)
"""Asked before each attempt of a call, the SDK's own repetitions too; raises when it could end too late."""

# Its options are attributes that botocore's type stubs do not have.
CONFIG: Any = Config(
    connect_timeout=2,
    read_timeout=2,
    retries={"mode": "standard", "total_max_attempts": 2},
    # A quarter of a full batch's processor time, for what the services check again.
    parameter_validation=False,
    # The SDK composes its own anew for every call, twice: a quarter of a small call's processor time.
    user_agent=f"transactional-outbox Botocore/{__version__}",
)


class _Models(Loader):
    """The SDK's models without a search of their hundreds of folders."""

    def list_available_services(self, type_name: str) -> list[str]:  # noqa: ARG002 - botocore's own signature
        """The services that a client may be made for; a model that is missing is reported when it is loaded."""
        return ["dynamodb", "sqs"]


def dynamodb_client() -> DynamoDBClient:
    """A low-level client, made by boto3's core: its other layers cost start-up time and add nothing used here."""
    return cast("DynamoDBClient", _client("dynamodb"))


def sqs_client() -> SQSClient:
    """A low-level client for the delivery queues."""
    return cast("SQSClient", _client("sqs"))


def _client(service: str) -> Any:
    session = Session()
    session.register_component("data_loader", _Models())
    client = session.create_client(service, config=CONFIG)
    client.meta.events.register("before-send", _ask)
    return client


def _ask(**_: object) -> None:
    before_attempt.get()()
