"""Events per second that a filled queue is drained at: deployed functions and mappings on the local AWS.

All cases have two executions at a time, as the walkthrough sets it. The emulator works on the same processors as
the functions do, so the figures say how the cases compare, and nothing of how fast AWS is.
"""

import json
import threading
import time
from functools import partial
from typing import Any

from benchmarks.functions import OURS
from benchmarks.inputs import body
from benchmarks.paired import Samples, Tick, interleaved
from benchmarks.pipeline import CASES, total_of
from local.clients import Clients, local_session
from local.deployer import Deployment, deploy
from local.event_sources import MakeClient, Mapping, Observation, role_clients
from local.event_sources.clock import StoppableClock
from local.event_sources.worker import Worker
from local.paths import PROGRAM_DIRECTORY
from local.program import StackConfig

PROGRAM = PROGRAM_DIRECTORY / "benchmarks" / "programs" / "drain"
PROJECT = "drain"
ENTRIES_A_CALL = 10

# Messages in each queue at the start of a round. All cases find as many, because the emulator looks through the
# whole queue at every receive and delete; and more than a round drains, because a batch that stays short waits for
# its window, which is idleness and not draining.
BACKLOG = 400
TIMEOUT_SECONDS = 120.0


# What a round drains, for times that compare.
EVENTS = {"walkthrough": 50, "ours_1": 50, "ours_10": 200, "ours_100": 200, "powertools_10": 50}


def measure(local_aws: Clients, rounds: int, tick: Tick = lambda: None) -> Samples:
    """Events per second by case; the first round starts the functions' processes and does not count.

    Args:
        local_aws: an emulator without event sources.
        rounds: how many times each case drains its queue.
        tick: told of each drained queue.
    """
    outputs = _deploy(local_aws)
    make_client = role_clients(local_session(local_aws.region), local_aws.endpoint_url)
    drains = {
        name: partial(_Drain(local_aws, make_client, outputs, name).run, EVENTS[name]) for name in CASES
    }
    samples = interleaved(drains, rounds + 1, tick)
    return {name: rates[1:] for name, rates in samples.items()}


class _Drain:
    """One case's queue, and the poller that empties it."""

    def __init__(
        self, local_aws: Clients, make_client: MakeClient, outputs: dict[str, Any], name: str
    ) -> None:
        self._clients = local_aws
        self._make_client = make_client
        self._queue_url = outputs[f"{name}:queue_url"]
        self._table = outputs[f"{name}:table"]
        description = local_aws("lambda").get_event_source_mapping(UUID=outputs[f"{name}:mapping_uuid"])
        self._mapping = Mapping.parse(description)
        self._sent = 0
        self._applied = 0

    def run(self, events: int) -> float:
        """Events per second while so many of the backlog, or a batch more, are applied.

        Raises:
            RuntimeError: it took too long, or the total differs from what was reported as applied.
        """
        self._fill(BACKLOG - (self._sent - self._applied))
        done = threading.Event()
        target = self._applied + events

        def observe(observation: Observation) -> None:
            self._applied += observation.records - observation.failed
            if self._applied >= target:
                done.set()

        worker = Worker(
            self._mapping,
            self._make_client,
            positions={},
            clock=StoppableClock(),
            observer=observe,
            speed=1.0,
        )
        before = self._applied
        begun = time.perf_counter()
        worker.start()
        is_done = done.wait(TIMEOUT_SECONDS)
        seconds = time.perf_counter() - begun
        applied = self._applied - before
        worker.stop()
        has_ended = worker.join(TIMEOUT_SECONDS)
        stored, _ = total_of(self._clients, self._table)
        if not is_done or not has_ended or stored != self._applied:
            raise RuntimeError(
                f"{self._mapping.function_arn}: {self._applied} of {target} events were reported applied "
                f"within {seconds:.0f} s, {stored} are stored."
            )
        return applied / seconds

    def _fill(self, count: int) -> None:
        for first in range(self._sent, self._sent + count, ENTRIES_A_CALL):
            numbers = range(first, min(first + ENTRIES_A_CALL, self._sent + count))
            self._clients("sqs").send_message_batch(
                QueueUrl=self._queue_url,
                Entries=[{"Id": str(number), "MessageBody": body(number)} for number in numbers],
            )
        self._sent += count


def _deploy(local_aws: Clients) -> dict[str, Any]:
    cases = [
        (name, "" if case.consumer is OURS else str(case.consumer.folder), case.batch_size)
        for name, case in CASES.items()
    ]
    config = StackConfig(
        PROJECT, "local", {"aws:region": local_aws.region, f"{PROJECT}:cases": json.dumps(cases)}
    )
    deployment = Deployment()
    deploy(local_aws, PROGRAM, config, deployment)
    return deployment.outputs
