"""Deletes settled dead-letter messages: only those that are named, and only in one state."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from outbox_cli.dead_letters.letters import DeadLetter, InboxState, judged, read_letter
from outbox_cli.held_messages import NONE_HIDDEN, Hidden, reading
from outbox_cli.stack.deployed import Stack


@dataclass(frozen=True)
class Deletion:
    """The outcome for the messages that were named."""

    deleted: list[DeadLetter]
    """In a dry run, what would be deleted."""
    others: list[DeadLetter]
    """What the inbox says something else of than was wanted: left."""
    kept: list[str]
    """Ids of messages that SQS did not delete."""
    missing: list[str]
    """Ids that no message has, or one that cannot be seen now."""
    hidden: Hidden
    is_dry_run: bool

    @property
    def ok(self) -> bool:
        """Whether all that were named are gone, or would be."""
        return not (self.others or self.kept or self.missing)


def delete_letters(
    stack: Stack,
    message_ids: Iterable[str],
    state: InboxState,
    *,
    is_dry_run: bool,
    show: Callable[[Sequence[DeadLetter]], object],
) -> Deletion:
    """Deletes the messages that are in this state by the inbox now, and releases all others.

    `show` gets them first, with their bodies, which nothing else has afterwards: where it fails, nothing is deleted.
    """
    sought = list(dict.fromkeys(message_ids))
    with reading(stack, stack["dead_letter_queue_url"]) as found:
        read: list[DeadLetter] = []
        for message in found:
            if message["MessageId"] in sought:
                read.append(read_letter(message, with_body=True))
                if len(read) == len(sought):
                    break
        letters = judged(stack, read)
        chosen = [each for each in letters if each.state is state]
        show(chosen)
        kept = set() if is_dry_run else found.delete([each.message_id for each in chosen])
    seen = {each.message_id for each in letters}
    missing = [each for each in sought if each not in seen]
    return Deletion(
        [each for each in chosen if each.message_id not in kept],
        [each for each in letters if each.state is not state],
        sorted(kept),
        missing,
        found.hidden if missing else NONE_HIDDEN,
        is_dry_run,
    )
