"""Lambda event source mappings on one machine: the pollers AWS runs between a stream or queue and a function.

An emulator stores the mappings and serves streams, queues and functions; `EventSources` reads the stored
mappings and delivers by AWS's documented rules. The package needs the standard library and boto3 alone and
imports nothing else of this repository.

    with EventSources(role_clients(boto3.Session(...), endpoint_url)):
        ...  # mappings created, changed, disabled or deleted meanwhile take effect by themselves

What decides is pure: `limits`, `filters`, `responses`, `retry`, `lane`, `events`. What calls AWS is thin: `queue`,
`stream`, `shard`, `destination`, `invocation`, `sessions`. `sources` and `worker` run the threads.
"""

from local.event_sources.filters import InvalidFilter, compile_filter
from local.event_sources.limits import check_limits
from local.event_sources.mapping import InvalidMapping, Mapping
from local.event_sources.observation import Observation, Observer
from local.event_sources.sessions import MakeClient, role_clients
from local.event_sources.sources import EventSources

__all__ = [
    "EventSources",
    "InvalidFilter",
    "InvalidMapping",
    "MakeClient",
    "Mapping",
    "Observation",
    "Observer",
    "check_limits",
    "compile_filter",
    "role_clients",
]
