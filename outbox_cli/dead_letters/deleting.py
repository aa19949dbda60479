"""Deletes settled dead-letter messages: only those that are named, and only in one state."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from outbox_cli.dead_letters.messages import DeadLetterMessage, InboxState, read_message, with_states
from outbox_cli.queue_messages import NONE_IN_FLIGHT, InFlight, reading
from outbox_cli.stack.deployed import Stack


@dataclass(frozen=True)
class Deletion:
    """The outcome for the messages that were named."""

    deleted: list[DeadLetterMessage]
    """In a dry run, what would be deleted."""
    others: list[DeadLetterMessage]
    """Messages in another state than was asked for: left."""
    kept: list[str]
    """Ids of messages that SQS did not delete."""
    missing: list[str]
    """Ids that no message has, or one that cannot be seen now."""
    in_flight: InFlight
    is_dry_run: bool

    @property
    def ok(self) -> bool:
        """Whether all that were named are gone, or would be."""
        return not (self.others or self.kept or self.missing)


def delete_messages(
    stack: Stack,
    message_ids: Iterable[str],
    state: InboxState,
    *,
    is_dry_run: bool,
    show: Callable[[Sequence[DeadLetterMessage]], object],
) -> Deletion:
    """Deletes the messages that are in this state by the inbox now, and releases all others.

    `show` gets them first, with their bodies, which nothing else has afterwards: where it fails, nothing is deleted.
    """
    sought = list(dict.fromkeys(message_ids))
    with reading(stack, stack["dead_letter_queue_url"]) as found:
        read: list[DeadLetterMessage] = []
        for message in found:
            if message["MessageId"] in sought:
                read.append(read_message(message, with_body=True))
                if len(read) == len(sought):
                    break
        messages = with_states(stack, read)
        chosen = [each for each in messages if each.state is state]
        show(chosen)
        kept = set() if is_dry_run else found.delete([each.message_id for each in chosen])
    seen = {each.message_id for each in messages}
    missing = [each for each in sought if each not in seen]
    return Deletion(
        [each for each in chosen if each.message_id not in kept],
        [each for each in messages if each.state is not state],
        sorted(kept),
        missing,
        found.in_flight if missing else NONE_IN_FLIGHT,
        is_dry_run,
    )
