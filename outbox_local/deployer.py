"""Deploys a Pulumi program to the emulator: makes, changes, replaces and removes what it registers."""

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
from botocore.exceptions import BotoCoreError, ClientError

from outbox_local.clients import Clients
from outbox_local.errors import DeploymentError
from outbox_local.event_sources.mapping import InvalidMapping
from outbox_local.program import Registration, StackConfig, run_program
from outbox_local.resources import Created, Properties, resource_type
from outbox_local.resources.archive import zip_archive

Key = tuple[str, str]
Report = Callable[[str, str, str], None]
"""Told of each change as it is made: what was done, the resource type, the logical name."""


@dataclass(frozen=True)
class ResourceState:
    """A resource that a deployment has made, with the inputs it was last given."""

    id: str
    inputs: Properties
    outputs: Properties


@dataclass
class Deployment:
    """The resources in the emulator, in the order of their creation, and the program's exports.

    It is kept current change by change, so after a failure it still says what must be removed.
    """

    resources: dict[Key, ResourceState] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)

    def count_by_type(self) -> dict[str, int]:
        """Counts of resources of each type, by type token."""
        counts: dict[str, int] = {}
        for pulumi_type, _ in self.resources:
            counts[pulumi_type] = counts.get(pulumi_type, 0) + 1
        return dict(sorted(counts.items()))


def deploy(
    clients: Clients,
    directory: Path,
    config: StackConfig,
    deployment: Deployment,
    report: Report = lambda *_: None,
) -> None:
    """Brings the emulator to what the program of the directory registers; changes `deployment` accordingly.

    Args:
        clients: the operator's.
        directory: the folder of the program.
        config: the stack's configuration.
        deployment: what stands already; empty at first.
        report: told of each change.

    Raises:
        LocalAwsError: the program refused its configuration, registered something unknown, or the emulator
            refused a resource.
    """
    steps = _Steps(clients, deployment, report)
    deployment.outputs = run_program(directory, config, steps.register)
    steps.remove_unregistered()


def destroy(clients: Clients, deployment: Deployment, report: Report = lambda *_: None) -> None:
    """Removes every resource of the deployment, the last made first."""
    _Steps(clients, deployment, report).remove_unregistered()
    deployment.outputs = {}


class _Steps:
    """One deployment under way. The monitor registers independent resources from several threads at once."""

    def __init__(self, clients: Clients, deployment: Deployment, report: Report) -> None:
        self._clients = clients
        self._deployment = deployment
        self._report = report
        self._registered: set[Key] = set()
        self._replaced: list[tuple[Key, ResourceState]] = []
        self._lock = threading.Lock()

    def register(self, registration: Registration) -> Created:
        key = (registration.pulumi_type, registration.name)
        kind = resource_type(registration.pulumi_type)
        kind.check(registration.inputs)
        current = self._deployment.resources.get(key)
        with _refusals_named(*key):
            if current is None:
                self._report("create", *key)
                created = kind.create(self._clients, registration.name, registration.inputs)
            else:
                changed = _changed(current.inputs, registration.inputs)
                if changed & kind.replaced_on:
                    self._report("replace", *key)
                    created = kind.create(self._clients, registration.name, registration.inputs)
                    with self._lock:
                        self._replaced.append((key, current))
                elif changed:
                    self._report("update", *key)
                    outputs = kind.update(self._clients, current.id, current.inputs, registration.inputs)
                    created = Created(current.id, outputs)
                else:
                    created = Created(current.id, current.outputs)
        with self._lock:
            self._registered.add(key)
            self._deployment.resources[key] = ResourceState(created.id, registration.inputs, created.outputs)
        return created

    def remove_unregistered(self) -> None:
        for key, old in self._replaced:
            with _refusals_named(*key):
                resource_type(key[0]).delete(self._clients, old.id)
        for key in reversed([each for each in self._deployment.resources if each not in self._registered]):
            self._report("delete", *key)
            with _refusals_named(*key):
                resource_type(key[0]).delete(self._clients, self._deployment.resources[key].id)
            del self._deployment.resources[key]


@contextlib.contextmanager
def _refusals_named(pulumi_type: str, name: str) -> Iterator[None]:
    """Turns what the emulator refuses into one sentence that names the resource."""
    try:
        yield
    except (ClientError, BotoCoreError, InvalidMapping) as error:
        raise DeploymentError(f"{pulumi_type} {name!r}: the local AWS refused it: {error}") from error


def _changed(old: Properties, new: Properties) -> set[str]:
    return {
        name for name in old.keys() | new.keys() if _comparable(old.get(name)) != _comparable(new.get(name))
    }


def _comparable(value: object) -> object:
    """An archive is compared by its content; everything else as it is."""
    return hashlib.sha256(zip_archive(value)).digest() if isinstance(value, pulumi.Archive) else value
