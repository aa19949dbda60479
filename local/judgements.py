"""What the local AWS judged: how often each role asked for an action, and whether it was allowed."""

import json
import urllib.request
from dataclasses import dataclass

PATH = "/_local/judgements"


@dataclass(frozen=True)
class Judgement:
    """One kind of request of one role, with how often it was made."""

    role: str
    action: str
    resource: str
    allowed: bool
    count: int


def read_judgements(endpoint_url: str) -> list[Judgement]:
    """Everything the emulator there has judged for roles since its start."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{endpoint_url}{PATH}", timeout=10) as answer:
        return [Judgement(*each) for each in json.load(answer)]
