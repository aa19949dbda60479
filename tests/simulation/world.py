"""The outbox on the simulated AWS, moved by steps of a schedule: each a verb and small numbers.

A number chooses among what there is at that moment, round and round, and a step that finds nothing to choose
does nothing. So any list of steps is a schedule, and a schedule stays one when steps are taken out of it.
"""

import contextlib
import io
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from outbox_cli.reconcile.findings import Reconciliation
from outbox_local.event_sources.concurrent_batch import ConcurrentBatch
from outbox_local.event_sources.invocation import Answered, NotInvoked, Outcome
from outbox_local.event_sources.observation import Observation
from outbox_local.event_sources.retry import Batch
from outbox_local.event_sources.shard import Position, Shard
from tests.simulation.disturbed import DisturbedSqs
from tests.simulation.outside import AMOUNTS_CENTS, ORDER_IDS, Outside, pick
from tests.simulation.runs import ExecutorOfNothing, FunctionsOfRoles, Run, Runs, described
from tools.simulation.faults import Fault, can_have
from tools.simulation.invocation import Handler, Invocation
from tools.simulation.sqs import Message
from tools.soak.system import FUNCTION_TIMEOUT_SECONDS, System, SystemSettings

FAULTS = tuple(Fault)
CONSUMERS_MOST = 2
CHANCES = 4
BURST_SIZES = (2, 3, 6, 12)
# After these a function tries again as long as it has the time.
PASSING = (Fault.CONFLICT, Fault.PARTIAL, Fault.THROTTLE, Fault.UNAVAILABLE)


class World(Outside):
    """Everything there is, and what has been seen so far."""

    def __init__(self, settings: SystemSettings = SystemSettings()) -> None:  # noqa: B008 - frozen
        super().__init__(System(settings))
        self.positions: dict[str, Position] = {}
        self.runs = Runs()
        self.answers: list[tuple[Any, dict[str, Any]]] = []
        self.parked: set[str] = set()
        self.discarded: set[str] = set()
        self.acknowledged: list[Message] = []
        self.log: list[str] = []
        self.calls_out_of_order: list[str] = []
        self.happened: Counter[str] = Counter()
        """How often what the schedules are for has come about: a net that catches nothing is told by it."""
        self.started = 0
        self.timeout_seconds = settings.function_timeout_seconds
        self._sqs = DisturbedSqs(self.system, self.happened)
        self._last_batches: dict[ConcurrentBatch, Batch] = {}
        self.consumer = self.system.queue_poller(self._service)
        self.restart_relay(0)

    # What a step may be. Each takes small numbers.

    def place(self, order: int, amount: int) -> None:
        """Somebody sends a command."""
        command = {"order_id": pick(ORDER_IDS, order), "amount_cents": pick(AMOUNTS_CENTS, amount)}
        self._start("command", self.system.command, command)

    def burst(self, first: int, size: int) -> None:
        """Several orders are placed at once, and accepted."""
        for order in range(first, first + pick(BURST_SIZES, size)):
            self.place(order, order)
            while self.runs and self.runs[-1].kind == "command" and not self.runs[-1].is_done:
                self.run(len(self.runs.running()) - 1)

    def run(self, which: int, fault: int = 0, entries: int = 0) -> None:
        """A function makes its next call, under a fault or none."""
        if running := self.runs.running():
            run = pick(running, which)
            self._note_order(run)
            call = run.invocation.pending
            assert call
            chosen = pick(FAULTS, fault)
            if chosen is not Fault.NONE and can_have(chosen, call.operation, call.request):
                self.happened[described(call.operation, call.request, chosen)] += 1
            self._advance(run, lambda: run.invocation.advance(chosen, entries))
            run.note_accepted(call)
            if run.is_done and chosen in PASSING and can_have(chosen, call.operation, call.request):
                self.happened[f"{run.kind} without time for another try"] += 1

    def run_on(self, which: int, first: int, calls: int, last: int) -> None:
        """A function goes on: a call goes wrong, up to two do not, and another one does."""
        run = self._chosen(self.runs.running(), which)
        for fault in (first, *[None] * (calls % 3), last):
            if run and (call := run.invocation.pending):
                possible = [each for each in FAULTS[:0:-1] if can_have(each, call.operation, call.request)]
                chosen = 0 if fault is None else FAULTS.index(pick(possible, fault))
                self.run(self.runs.running().index(run), chosen, last)

    def kill(self, which: int, after_call: int) -> None:
        """A function is killed, before or after its next call was done."""
        if running := self.runs.running():
            run = pick(running, which)
            self._note_order(run)
            self.happened[f"{run.kind} killed"] += 1
            self._advance(run, lambda: run.invocation.kill(after_call=bool(after_call % 2)))

    def settle(self, which: int, fault: int = 0, call: int = 0, entries: int = 0) -> None:
        """A mapping goes on from the answer of a function that has ended: checkpoint, or delete.

        One call of the deletion may go wrong, the first or a later one, and with it the poller.
        """
        if run := self._chosen(self.runs.ended(), which):
            self.runs.remove(run)
            result = run.invocation.result
            if run.is_owned and result:
                with self._sqs.disturbed("delete_message_batch", pick(FAULTS, fault), call % 2, entries):
                    self._settle(run, Answered(result.payload, result.function_error))

    def throttle(self, which: int) -> None:
        """Lambda does not invoke the function that a mapping wants to invoke."""
        if run := self._chosen(self.runs.untouched(), which):
            self.runs.remove(run)
            self.happened[f"{run.kind} not invoked"] += 1
            self._settle(run, NotInvoked("TooManyRequestsException"))

    def keep_failing(self, times: int) -> None:
        """The relay fails, is tried again as soon as it may be, and fails again."""
        for _ in range(1 + times % 4):
            for run in [run for run in self.runs.owned() if run.kind == "relay"]:
                if not run.is_done:
                    self.kill(self.runs.running().index(run), 0)
                self.settle(self.runs.ended().index(run))
            self.wait(0)
            self.read_stream()

    def lose(self, which: int) -> None:
        """A poller dies with a delivery in hand; the function's run goes on with nobody waiting for it."""
        if run := self._chosen(self.runs.owned(), which):
            if run.kind == "relay":
                self.restart_relay(0)
            else:
                run.is_owned = False

    def read_stream(self) -> None:
        """The relay's mapping reads, and starts what is due."""
        for shard in self.relay.open_shards():
            shard.read()
            busy = [run.delivery[1] for run in self.runs if run.delivery]
            for concurrent, batch in shard.due(busy):
                self._note_bisected(concurrent, batch)
                records = [record.event for record in batch.records]
                self._start("relay", self.system.relay, {"Records": records}, (shard, concurrent, batch))

    def receive(self) -> None:
        """The consumer's mapping receives a batch, unless its concurrency is used up."""
        if sum(run.kind == "consumer" for run in self.runs) >= CONSUMERS_MOST:
            return
        for records in self.consumer.receive():
            self._start("consumer", self.system.consumer, {"Records": records})

    def restart_relay(self, forgets: int) -> None:
        """The relay's poller starts anew at its checkpoint, or as a replaced mapping at the oldest record."""
        if forgets % 2:
            self.positions.clear()
        for run in self.runs:
            if run.kind == "relay":
                run.is_owned, run.delivery = False, None
        self.relay = self.system.stream_poller(
            self._service,
            positions=self.positions,
            executor=ExecutorOfNothing(),  # type: ignore[arg-type]  # never asked
            observer=self._observe,
        )

    def reconcile(self, fault: int = 0, call: int = 0, entries: int = 0) -> Reconciliation:
        """The operator sends what was never applied; one call of it may go wrong, the first or the second."""
        with self._sqs.disturbed("send_message_batch", pick(FAULTS, fault), call % 2, entries):
            found = self._reconciled(self._service)
        assert found.lost.count == found.sent + found.unsent.count, (
            f"reconciliation says nothing of {found.lost.count - found.sent - found.unsent.count} lost events"
        )
        return found

    def finish(self) -> None:
        """All that is under way runs to its end without a fault, and what follows from it at once as well."""
        self.read_stream()
        self.receive()
        while self.runs:
            if self.runs.running():
                self.run(0)
            else:
                self.settle(0)
            self.read_stream()
            self.receive()

    def resend_lost(self) -> None:
        """Faults end, functions have all their time, and time passes until nothing moves any more.

        Raises:
            AssertionError: It never comes to rest.
        """
        self.fault_flag(0)
        self.timeout_seconds = FUNCTION_TIMEOUT_SECONDS
        for _ in range(40):
            before = self._progress()
            self.finish()
            self.wait(1)
            if self._progress() == before and not self.system.queue.messages:
                return
        raise AssertionError("without any fault the system does not come to rest")

    # How it is done.

    def _start(
        self,
        kind: str,
        handler: Handler,
        event: Any,
        delivery: tuple[Shard, ConcurrentBatch, Batch] | None = None,
    ) -> None:
        event = json.loads(json.dumps(event))
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            chance = (self.started % CHANCES + 0.5) / CHANCES
            invocation = Invocation(handler, event, self.system.client, self.timeout_seconds, chance)
        self.started += 1
        run = Run(kind, invocation, tuple(event.get("Records", [])), delivery)
        self.runs.append(run)
        self._ended(run, output.getvalue())

    def _advance(self, run: Run, step: Callable[[], None]) -> None:
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            step()
        self._ended(run, output.getvalue())

    def _ended(self, run: Run, output: str) -> None:
        """Note what a run that has ended said; a run starts over with each step, and so does its output."""
        if not run.invocation.result:
            return
        lines = output.splitlines()
        self.log += lines
        if "time is used up" in output:
            self.happened["time used up between calls"] += 1
        self.parked |= {line.split()[1] for line in lines if line.startswith("RELAY_PARKED ")}
        if run.kind == "command":
            self.answers.append((run.invocation.event, json.loads(run.invocation.result.payload)))
            self.runs.remove(run)

    def _settle(self, run: Run, outcome: Outcome) -> None:
        if run.delivery:
            shard, concurrent, batch = run.delivery
            shard.settle(concurrent, batch, outcome)
            return
        before = dict(self.system.queue.messages)
        # What a poller does not survive: its successor receives whatever is left.
        with contextlib.suppress(ClientError, BotoCoreError):
            self.consumer.settle(run.records, outcome)
        gone = [message for key, message in before.items() if key not in self.system.queue.messages]
        self.deleted += gone
        self.acknowledged += gone

    def _note_order(self, run: Run) -> None:
        if overtaken := run.overtaken():
            self.calls_out_of_order.append(overtaken)

    def _note_bisected(self, concurrent: ConcurrentBatch, batch: Batch) -> None:
        """A batch that begins as the one before and is shorter is its first half."""
        last = self._last_batches.get(concurrent)
        if last and last.records[0] is batch.records[0] and len(batch.records) < len(last.records):
            self.happened["batch halved"] += 1
        self._last_batches[concurrent] = batch

    def _observe(self, seen: Observation) -> None:
        if seen.sequence_numbers:
            self.happened[f"records abandoned: {seen.reason}"] += 1
        self.discarded |= set(seen.sequence_numbers)

    def _service(self, service: str, role_arn: str | None = None) -> Any:
        if service == "lambda":
            return FunctionsOfRoles()
        return self._sqs if service == "sqs" else self.system.client(service)

    def _chosen(self, candidates: list[Run], which: int) -> Run | None:
        return pick(candidates, which) if candidates else None

    def _progress(self) -> Any:
        return (
            len(self.log),
            dict(self.positions),
            len(self.system.dead_letters.messages),
        )
