"""Serves the components as the Pulumi package `outbox`, for programs in any language."""

import sys
from pathlib import Path

from pulumi.provider.experimental import component_provider_host

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from components.idempotent_consumer import IdempotentConsumer
from components.outbox_source import OutboxSource
from components.package import PACKAGE
from components.relay import Relay

component_provider_host(name=PACKAGE, components=[OutboxSource, Relay, IdempotentConsumer])
