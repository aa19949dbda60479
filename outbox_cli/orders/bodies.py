"""Reads the body of a message from where the operator keeps it."""

import sys
from pathlib import Path

from outbox_cli.errors import WrongUseError

STANDARD_INPUT = "-"


def read_body(name: str) -> str:
    """The text of a file, or of standard input, byte for byte.

    Raises:
        WrongUseError: it cannot be read, or is not text in UTF-8, which is all that SQS takes.
    """
    try:
        content = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
        return content.decode("utf-8")
    except OSError as error:
        raise WrongUseError(
            f"The body cannot be read from {name} ({error.strerror}): "
            "name a file or -, or an order and its cents: outbox send order-a 1000."
        ) from error
    except UnicodeDecodeError as error:
        raise WrongUseError(
            f"The body in {name} is not text in UTF-8, which is all that SQS takes: convert it first."
        ) from error
