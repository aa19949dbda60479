"""AWS clients whose slowest call still ends before the function's own timeout.

The SDK's defaults (60 s to connect, 60 s to read, 3 attempts or more) outlive a 10 s function, which
then dies without an answer: every message of its batch is delivered again.
https://docs.aws.amazon.com/botocore/latest/reference/config.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from botocore import __version__
from botocore.config import Config
from botocore.loaders import Loader
from botocore.session import Session

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_sqs import SQSClient

CONNECT_TIMEOUT_SECONDS = 2
READ_TIMEOUT_SECONDS = 2
TOTAL_ATTEMPTS = 2

_CONFIG = Config(
    connect_timeout=CONNECT_TIMEOUT_SECONDS,
    read_timeout=READ_TIMEOUT_SECONDS,
    retries={"mode": "standard", "total_max_attempts": TOTAL_ATTEMPTS},
    # A quarter of a full batch's processor time, for what the services check again.
    parameter_validation=False,
    # The SDK composes its own anew for every call, twice: a quarter of a small call's processor time.
    user_agent=f"transactional-outbox Botocore/{__version__}",
)


class _Models(Loader):
    """The SDK's models without a look into its hundreds of folders for the services that it knows."""

    def list_available_services(self, type_name: str) -> list[str]:  # noqa: ARG002 - botocore's own signature
        """What a client is looked up in before its model is loaded; a model that is missing is told then."""
        return ["dynamodb", "sqs"]


def dynamodb_client() -> DynamoDBClient:
    """A low-level client, made by boto3's core: its other layers cost start-up time and add nothing used here."""
    return cast("DynamoDBClient", _session().create_client("dynamodb", config=_CONFIG))


def sqs_client() -> SQSClient:
    """A low-level client for the delivery queues."""
    return cast("SQSClient", _session().create_client("sqs", config=_CONFIG))


def _session() -> Session:
    session = Session()
    session.register_component("data_loader", _Models())
    return session
