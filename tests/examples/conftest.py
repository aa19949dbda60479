"""The handlers' AWS of moto, for the handlers of the examples."""

from tests.handlers.conftest import aws, load
from tests.handlers.conftest import moto_dynamodb as dynamodb

__all__ = ["aws", "dynamodb", "load"]
