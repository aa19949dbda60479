"""What the queues and the handlers have to agree on."""

from components.queues import MAXIMUM_MESSAGE_BYTES
from outbox.bodies import MAXIMUM_BODY_BYTES


def test_c10_queue_takes_every_body_that_the_command_stores() -> None:
    assert MAXIMUM_MESSAGE_BYTES == MAXIMUM_BODY_BYTES
