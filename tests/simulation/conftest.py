"""Settings of the schedule search: the same schedules on every run of the suite."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

SCHEDULES = 500
STEPS_MOST = 50

settings.register_profile(
    "schedules",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=SCHEDULES,
    stateful_step_count=STEPS_MOST,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(autouse=True)
def _quiet_event_sources() -> Iterator[None]:
    """Records given up are what these tests are about; a log line of each would fill a failure's report."""
    logger = logging.getLogger("local.event_sources")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)
