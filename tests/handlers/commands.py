"""The three commands of the library, each with arguments that it accepts."""

from collections.abc import Callable
from typing import Any

from outbox.commit import CommandResult, commit
from outbox.commit_changes import commit_update, commit_writes
from outbox.outgoing import OutgoingEvent
from outbox.wire import to_wire
from tests.handlers.support import SOURCE_TABLE, Clock

EVENT = OutgoingEvent("e-1", "body")
STATE = {"PK": "THING#1", "SK": "STATE", "size": 5, "version": 1}
WRITE: Any = {"Put": {"TableName": SOURCE_TABLE, "Item": to_wire(STATE)}}
COMMANDS: dict[str, tuple[Callable[..., CommandResult], dict[str, Any]]] = {
    "commit": (commit, {"state": STATE, "request_fields": ["size"]}),
    "commit_update": (commit_update, {"state": STATE, "expected_version": 1, "request": {"size": 5}}),
    "commit_writes": (commit_writes, {"writes": [WRITE], "request": {"size": 5}}),
}


def send(command: str, client: Any, clock: Clock | None = None, **changed: Any) -> CommandResult:
    """Call a command by its name, with some of its arguments changed."""
    function, accepted = COMMANDS[command]
    given = {"table": SOURCE_TABLE, "event": EVENT, "backoff": (clock or Clock()).backoff(), **accepted}
    return function(client, **(given | changed))
