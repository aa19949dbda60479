"""Pulumi components of the transactional outbox and the idempotent consumer.

Installed with pip, this folder is the package `transactional_outbox`, with the handlers' sources inside it.
"""

from .idempotent_consumer import IdempotentConsumer, IdempotentConsumerArgs
from .monitoring import Monitoring, MonitoringArgs
from .operators import export_outbox
from .outbox_source import OutboxSource, OutboxSourceArgs
from .reconciler import Reconciler, ReconcilerArgs
from .relay import Relay, RelayArgs

__all__ = [
    "IdempotentConsumer",
    "IdempotentConsumerArgs",
    "Monitoring",
    "MonitoringArgs",
    "OutboxSource",
    "OutboxSourceArgs",
    "Reconciler",
    "ReconcilerArgs",
    "Relay",
    "RelayArgs",
    "export_outbox",
]
