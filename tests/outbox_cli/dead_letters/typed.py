"""The verbs `outbox dlq` as somebody types them, and a dead-letter queue with a message of each state."""

from typing import Any

import typer
from typer.testing import CliRunner

from outbox_cli.dead_letters import commands
from tests.outbox_cli.dead_letters.world import World


def run(*arguments: str) -> Any:
    app = typer.Typer(rich_markup_mode=None)
    commands.add_to(app)
    return CliRunner().invoke(app, ["dlq", *arguments])


def fill(world: World) -> None:
    world.add("new", 5)
    world.add("old", 6, applied=True)
    world.add_conflicting("changed", 7)
    world.add_refused("nonsense")
