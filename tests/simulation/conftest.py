"""Fixture of all tests of the simulation."""

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _quiet_event_sources() -> Iterator[None]:
    """These tests abandon records on purpose; a log line of each would fill a failure's report."""
    logger = logging.getLogger("outbox_local.event_sources")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)
