"""The handlers' mocked AWS, for the handlers of the examples."""

from tests.handlers.conftest import aws, dynamodb, dynamodb_of_module, load

__all__ = ["aws", "dynamodb", "dynamodb_of_module", "load"]
