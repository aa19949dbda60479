"""Authorization log of the local AWS: how often each role asked for an action, and whether it was allowed."""

import json
from dataclasses import dataclass

from outbox_local.clients import Endpoint

PATH = "/_local/authorizations"


@dataclass(frozen=True)
class Authorization:
    """One kind of request of one role, with how often it was made."""

    role: str
    action: str
    resource: str
    allowed: bool
    count: int


def read_authorizations(endpoint: Endpoint) -> list[Authorization]:
    """All authorizations that the emulator decided for roles since its start."""
    return [Authorization(*each) for each in json.loads(endpoint.get(PATH))]
