"""Lambda event source mappings on one machine: the pollers AWS runs between a stream or queue and a function.

An emulator stores the mappings and serves streams, queues and functions; `EventSources` reads the stored
mappings and delivers by AWS's documented rules. The package needs the standard library and boto3 alone and
imports nothing else of this repository.

    with EventSources(role_clients(boto3.Session(...), endpoint_url)):
        ...  # mappings created, changed, disabled or deleted meanwhile take effect by themselves

What decides is pure: `limits`, `filters`, `operators`, `values`, `responses`, `retry`, `concurrent_batch`, `events`.
What calls AWS is thin: `queue`, `stream`, `shard`, `destination`, `invocation`, `sessions`. `sources` and `worker` run
the threads.
"""

from .filters import InvalidFilter, compile_filter
from .limits import check_limits
from .mapping import InvalidMapping, Mapping
from .observation import Observation, Observer
from .sessions import MakeClient, role_clients
from .sources import EventSources

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
