"""Both verbs as the command line has them, and plans for a demand."""

from decimal import Decimal
from typing import Any

import typer
from typer.testing import CliRunner

from outbox_cli.cost.capacity import Demand, plan
from outbox_cli.cost.commands import add_to


def run(*arguments: str) -> Any:
    app = typer.Typer(rich_markup_mode=None)
    add_to(app)
    return CliRunner().invoke(app, arguments)


def plan_for(rate: str, payload_bytes: int = 168, duplicates: str = "0") -> dict[str, Any]:
    return plan(
        Demand(events_per_second=Decimal(rate), payload_bytes=payload_bytes, duplicates=Decimal(duplicates))
    )
