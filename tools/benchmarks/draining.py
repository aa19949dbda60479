"""Events per second that a queue is drained at: deployed functions and real batches on the local AWS.

Two rates are taken of the same events. The first has everything in it: five pollers, as many as Lambda begins with,
receive all batches, two executions work on them, as the walkthrough sets it, and the pollers delete what they applied.
The second has the executions alone: on AWS the pollers are Lambda's own machines and hold batches ready, here they and
the emulator's queue take most of the time. The figures say how the cases compare, not how fast AWS is.

The slow cases drain fewer events a round, because each event takes them about twenty times as long: a rate is by the
event, and nothing in it depends on how many there are.
"""

import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from outbox_cli.cost.service_limits import INITIAL_QUEUE_POLLERS
from outbox_local.clients import Clients
from outbox_local.deployer import Deployment, deploy
from outbox_local.emulator import reserve_port, start_emulator
from outbox_local.event_sources import MakeClient
from outbox_local.event_sources import Mapping as SourceMapping
from outbox_local.event_sources.clock import StoppableClock
from outbox_local.event_sources.events import Record, encode
from outbox_local.event_sources.invocation import Outcome, invoke
from outbox_local.event_sources.queue import QueuePoller
from outbox_local.program import StackConfig
from tools.benchmarks.functions import OURS, REGION
from tools.benchmarks.inputs import body
from tools.benchmarks.paired import Tick, interleaved, median_ratio, medians
from tools.benchmarks.part import Document, Part
from tools.benchmarks.pipeline import BASELINE, BATCHED, CASES, SINGLE, total_of
from tools.repository import PROGRAM_DIRECTORY

PROGRAM = PROGRAM_DIRECTORY / "tools" / "benchmarks" / "programs" / "drain"
PROJECT = "drain"
# Of a round, and in full batches: of the largest, ten for each execution.
EVENTS = {"walkthrough": 400, "ours_1": 400, "ours_10": 2_000, "ours_100": 2_000, "powertools_10": 400}
EXECUTIONS = 2
ENTRIES_A_CALL = 10


class Rates(NamedTuple):
    """Events per second."""

    whole: float
    executions: float


def measure(rounds: int, tick: Tick = lambda: None) -> dict[str, list[Rates]]:
    """Rates by case; the first round starts the functions' processes and does not count."""
    with start_emulator(reserve_port(0), REGION) as emulator:
        local_aws = Clients(emulator)
        outputs = _deploy(local_aws)
        make_client = local_aws.of_roles()
        drains = {name: _Drain(local_aws, make_client, outputs, name).run for name in CASES}
        samples = interleaved(drains, rounds + 1, tick)
    return {name: rates[1:] for name, rates in samples.items()}


def figures(taken: Mapping[str, Sequence[Rates]]) -> Document:
    """Ratios of ours by the walkthrough, and each case's rates."""
    whole = {name: [each.whole for each in rates] for name, rates in taken.items()}
    executions = {name: [each.executions for each in rates] for name, rates in taken.items()}
    return {
        "drain_ratio": median_ratio(whole[BATCHED], whole[BASELINE]),
        "executions_ratio": median_ratio(executions[BATCHED], executions[BASELINE]),
        "batch_1": {"drain_ratio": median_ratio(whole[SINGLE], whole[BASELINE])},
        "drained_events_per_second": medians(whole),
        "drained_events_per_second_by_executions": medians(executions),
    }


class _Drain:
    """One case's queue, mapping and table."""

    def __init__(
        self, local_aws: Clients, make_client: MakeClient, outputs: dict[str, Any], name: str
    ) -> None:
        self._clients = local_aws
        self._queue_url = outputs[f"{name}:queue_url"]
        self._table = outputs[f"{name}:table"]
        description = local_aws("lambda").get_event_source_mapping(UUID=outputs[f"{name}:mapping_uuid"])
        self._mapping = SourceMapping.parse(description)
        self._lambda = make_client("lambda", None)
        self._pollers = [
            QueuePoller(self._mapping, make_client, clock=StoppableClock())
            for _ in range(INITIAL_QUEUE_POLLERS)
        ]
        self._events = EVENTS[name]
        self._sent = 0

    def run(self) -> Rates:
        """Fills the queue and drains it.

        Raises:
            RuntimeError: the total is not that of every event counted once.
        """
        self._fill()
        begun = time.perf_counter()
        batches = self._receive()
        received = time.perf_counter()
        outcomes = self._invoke(batches)
        answered = time.perf_counter()
        self._settle(batches, outcomes)
        deleted = time.perf_counter()
        stored, _ = total_of(self._clients, self._table)
        if stored != self._sent:
            raise RuntimeError(
                f"{self._mapping.function_arn}: {self._sent} events were sent, {stored} are counted."
            )
        return Rates(whole=self._events / (deleted - begun), executions=self._events / (answered - received))

    def _fill(self) -> None:
        for first in range(self._sent, self._sent + self._events, ENTRIES_A_CALL):
            numbers = range(first, first + ENTRIES_A_CALL)
            self._clients("sqs").send_message_batch(
                QueueUrl=self._queue_url,
                Entries=[{"Id": str(number), "MessageBody": body(number)} for number in numbers],
            )
        self._sent += self._events

    def _receive(self) -> list[list[Record]]:
        """Every batch; each poller begins only as many as there are, so none waits for messages that others hold."""

        def receive(poller: QueuePoller, batches: int) -> list[list[Record]]:
            return [records for _ in range(batches) for records in poller.receive()]

        shares = self._shares(self._events // self._mapping.batch_size)
        with ThreadPoolExecutor(len(self._pollers)) as threads:
            received = [batch for share in threads.map(receive, self._pollers, shares) for batch in share]
        if (found := sum(map(len, received))) != self._events:
            raise RuntimeError(f"{self._queue_url} gave {found} of {self._events} events.")
        return received

    def _settle(self, batches: list[list[Record]], outcomes: list[Outcome]) -> None:
        def settle(number: int) -> None:
            for records, outcome in list(zip(batches, outcomes, strict=True))[number :: len(self._pollers)]:
                self._pollers[number].settle(records, outcome)

        with ThreadPoolExecutor(len(self._pollers)) as threads:
            for _ in threads.map(settle, range(len(self._pollers))):
                pass  # asked for, so that an error is seen

    def _shares(self, batches: int) -> list[int]:
        """How many of the batches each poller receives."""
        each, rest = divmod(batches, len(self._pollers))
        return [each + (number < rest) for number in range(len(self._pollers))]

    def _invoke(self, batches: list[list[Record]]) -> list[Outcome]:
        with ThreadPoolExecutor(EXECUTIONS) as executions:
            encoded = [[encode(record) for record in records] for records in batches]
            return list(executions.map(partial(invoke, self._lambda, self._mapping.function_arn), encoded))


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


PART = Part(
    name="drain",
    description="draining queues",
    full=5,
    quick=1,
    steps=lambda rounds: (rounds + 1) * len(CASES),
    measure=measure,
    figures=figures,
)
