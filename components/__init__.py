"""Pulumi components of the transactional outbox and the idempotent consumer."""
