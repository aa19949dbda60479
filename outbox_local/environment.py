"""The local AWS as one thing: the emulator, a stack deployed to it, and the event sources that drive it."""

import contextlib
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from outbox_local.clients import Clients
from outbox_local.deployer import Deployment, Report, deploy
from outbox_local.emulator import start_emulator
from outbox_local.event_sources import EventSources
from outbox_local.program import StackConfig
from outbox_local.schedules import Schedules


@dataclass(frozen=True)
class LocalAws:
    """A running local AWS with a stack on it."""

    clients: Clients
    deployment: Deployment


@contextlib.contextmanager
def run_local_aws(
    listener: socket.socket,
    config: StackConfig,
    directory: Path,
    *,
    speed: float,
    report: Report = lambda *_: None,
    on_started: Callable[[Clients], None] = lambda _: None,
) -> Iterator[LocalAws]:
    """Starts the emulator, deploys the stack, and runs its event source mappings until the block ends.

    Args:
        listener: the bound port, from `outbox_local.emulator.reserve_port`.
        config: the stack's configuration.
        directory: the folder of the program to deploy.
        speed: divides the waits of the event sources, and nothing else; 1 waits as long as AWS does.
        report: told of each resource that is made.
        on_started: called once the emulator answers, before anything is deployed.

    Raises:
        LocalAwsError: the emulator did not start, or the stack could not be deployed.
    """
    # The listener is closed here too: a region that is refused ends before the start.
    with listener, start_emulator(listener, config.region) as emulator:
        clients = Clients(emulator)
        on_started(clients)
        deployment = Deployment()
        deploy(clients, directory, config, deployment, report)
        with driven(clients, speed=speed):
            yield LocalAws(clients, deployment)


@contextlib.contextmanager
def driven(clients: Clients, *, speed: float) -> Iterator[None]:
    """Runs the mappings and the schedules of what is deployed until the block ends.

    Args:
        clients: the operator's.
        speed: divides their waits.
    """
    make_client = clients.of_roles()
    with EventSources(make_client, speed=speed), Schedules(make_client, speed=speed):
        yield
