"""Helpers of the engine tests: a stack that fails as a test asks, and the resources in the local AWS."""

import re
from pathlib import Path
from typing import NoReturn

import pytest

from engine import stack
from outbox_local.clients import Clients

NOTHING: dict[str, list[str]] = {
    kind: [] for kind in ("tables", "queues", "roles", "functions", "mappings", "log groups")
}


class Stack(stack.Stack):
    """A stack of a test's own."""

    def fail(self, message: str) -> NoReturn:
        """Fails the test in the engine's words, without the lines of code on the way to them."""
        pytest.fail(message, pytrace=False)


def standing(clients: Clients) -> dict[str, list[str]]:
    """All resources in the local AWS of the types in use, by type."""
    return {
        "tables": clients("dynamodb").list_tables()["TableNames"],
        "queues": clients("sqs").list_queues().get("QueueUrls", []),
        "roles": [each["RoleName"] for each in clients("iam").list_roles()["Roles"]],
        "functions": [each["FunctionName"] for each in clients("lambda").list_functions()["Functions"]],
        "mappings": [
            each["UUID"] for each in clients("lambda").list_event_source_mappings()["EventSourceMappings"]
        ],
        "log groups": [each["logGroupName"] for each in clients("logs").describe_log_groups()["logGroups"]],
    }


def edit(path: Path, old: str, new: str) -> None:
    """Replaces the first such piece of text in a file, which must hold one."""
    text = path.read_text()
    assert old in text, f"{path} no longer holds {old!r}"
    path.write_text(text.replace(old, new, 1))


def findings(answer: stack.Answer) -> list[str]:
    """The policy rules' names with what they were found on, in a fixed order."""
    return sorted(re.findall(r"\[mandatory\].*", answer.output))
