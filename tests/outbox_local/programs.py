"""Small programs of a test's own."""

from pathlib import Path
from typing import Any

from outbox_local.clients import Clients
from outbox_local.deployer import Deployment, deploy
from outbox_local.program import StackConfig
from outbox_local.resources import resource_type

Change = tuple[str, str, str]
QUEUE = """
import pulumi
from pulumi_aws import sqs
queue = sqs.Queue('delivery', {arguments})
pulumi.export('url', queue.url)
"""


class Program:
    """A program of a test's own, deployed and destroyed with it."""

    def __init__(self, clients: Clients, directory: Path) -> None:
        self.clients = clients
        self.directory = directory
        self.deployment = Deployment()

    def deploy(self, source: str) -> list[Change]:
        (self.directory / "__main__.py").write_text(source)
        changes: list[Change] = []
        config = StackConfig("example", "test", {"aws:region": self.clients.region})
        deploy(self.clients, self.directory, config, self.deployment, lambda *change: changes.append(change))
        return changes

    def stands(self) -> list[dict[str, Any] | None]:
        return [
            resource_type(pulumi_type).read(self.clients, state.id, state.inputs)
            for (pulumi_type, _), state in self.deployment.resources.items()
        ]
