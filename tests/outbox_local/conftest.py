"""One emulator for all local tests; every test names its own resources."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from outbox_local.clients import Clients
from outbox_local.deployer import Deployment, deploy, destroy
from outbox_local.emulator import reserve_port, start_emulator
from outbox_local.program import read_stack_config
from tests.outbox_local.programs import Program
from tools.repository import PROGRAM_DIRECTORY

REGION = "eu-central-1"  # not the walkthrough's: a region written down anywhere would show
WITH_RECONCILER = {
    "aws:region": REGION,
    "transactional-outbox:reconcileIndex": "true",
    "transactional-outbox:reconciler": "true",
}
TRUST_POLICY = (
    '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow",'
    ' "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]}'
)


@pytest.fixture(scope="session")
def clients() -> Iterator[Clients]:
    with start_emulator(reserve_port(0), REGION) as emulator:
        yield Clients(emulator)


@pytest.fixture(scope="session")
def dev_deployment(clients: Clients) -> Iterator[Deployment]:
    """The dev stack with the reconciler, deployed and not driven: nothing moves by itself."""
    deployment = Deployment()
    config = read_stack_config(PROGRAM_DIRECTORY, "dev", WITH_RECONCILER)
    deploy(clients, PROGRAM_DIRECTORY, config, deployment)
    yield deployment
    destroy(clients, deployment)


@pytest.fixture
def fresh_name() -> Callable[[str], str]:
    return lambda purpose: f"{purpose}-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def program(clients: Clients, tmp_path: Path) -> Iterator[Program]:
    program = Program(clients, tmp_path)
    yield program
    destroy(clients, program.deployment)
