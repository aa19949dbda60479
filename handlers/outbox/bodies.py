"""Message bodies that Amazon SQS accepts.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
"""

import re
from functools import cache

from outbox.texts import utf8_bytes

# Of one body, and of all bodies of one SendMessageBatch call together.
MAXIMUM_BODY_BYTES = 1_048_576


def refusal(body: str) -> str | None:
    """Why no queue will ever accept a body, or None when it can be sent."""
    if not body:
        return "the body is empty"
    if refused := refused_character(body):
        return f"the body has the character U+{ord(refused):04X}, which SQS refuses"
    size = utf8_bytes(body)
    if size > MAXIMUM_BODY_BYTES:
        return f"the body has {size} bytes, SQS accepts {MAXIMUM_BODY_BYTES}"
    return None


def refused_character(text: str) -> str | None:
    """The first character of a text that no queue accepts, if it has one."""
    found = _refused_character().search(text)
    return found.group() if found else None


@cache
def _refused_character() -> re.Pattern[str]:
    """Compiled on first use: it takes 5 ms, and the consumer never needs it."""
    return re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
