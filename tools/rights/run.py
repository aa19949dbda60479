"""Takes every right of every function away once, on the local AWS, and counts what the flow really uses.

One right after the other: it is taken out of the role's policy, an order is sent, and the run waits until the
local AWS has refused the action. The run finds the step that fails and restores the right. The order
must then complete: counted once, nothing left in a queue.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from outbox_cli.dead_letters.redrive import move
from outbox_cli.errors import OperatorError, RefusedOrderError
from outbox_cli.stack.deployed import FUNCTIONS, Stack
from outbox_cli.status.stored import Totals, count_messages, read_totals
from outbox_local.authorization_log import Authorization, read_authorizations
from outbox_local.clients import Endpoint
from tools.rights.documents import allowed_actions, statement_of, without
from tools.rights.flow import AMOUNT_CENTS, LOGGED, Flow
from tools.rights.observing import looks
from tools.rights.roles import Role, put_document, role_of

STILL_SECONDS = 0.4  # how long a failing step has to stay the same before it is believed
REDRIVES_PER_SECOND = 500
# These are asked for while a mapping starts, or once in a long poll: a running one would not miss them at once.
USED_AT_START = {
    "relay": ("dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:ListStreams"),
    "consumer": ("sqs:ReceiveMessage", "sqs:GetQueueAttributes"),
}
MAPPING_STOPS_SECONDS = 1.5  # it is looked at five times a second, and a long poll takes one second


@dataclass
class Right:
    """One action of one function's role, and what became of the flow without it.

    `statement` is the one that allows it; another may allow the same action for another purpose.
    """

    function: str
    action: str
    statement: str = ""
    fails_at: str = ""
    refused: int = 0
    used: int = 0

    @property
    def needed(self) -> bool:
        """Whether the flow failed without it."""
        return bool(self.fails_at) and self.refused > 0


@dataclass
class Findings:
    """Results of a run."""

    rights: list[Right] = field(default_factory=list)
    used_but_not_granted: list[str] = field(default_factory=list)
    granted_but_not_used: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every right is needed, and exactly the granted ones are used."""
        return (
            all(right.needed for right in self.rights)
            and not self.used_but_not_granted
            and not self.granted_but_not_used
        )


class Rights:
    """The run, on a freshly deployed stack that nobody else uses."""

    def __init__(self, stack: Stack, endpoint: Endpoint, report: Callable[[Right], None]) -> None:
        self._stack = stack
        self._endpoint = endpoint
        self._report = report
        self._roles = {function: role_of(self._stack, function) for function in FUNCTIONS}
        self._orders = 0

    def run(self) -> Findings:
        """Take every right away once.

        Raises:
            OperatorError: The flow does not come to its end with all rights, or something was lost or counted twice.
        """
        self._complete(self._new_flow())
        findings = Findings()
        for function, role in self._roles.items():
            for action in allowed_actions(role.document):
                right = Right(function, action, statement_of(role.document, action))
                self._take_away(right, role)
                findings.rights.append(right)
                self._report(right)
        self._count(findings)
        return findings

    def _take_away(self, right: Right, role: Role) -> None:
        with self._mapping_stopped(right):
            put_document(self._stack, role, without(role.document, right.action))
        flow = self._new_flow(start=False)
        try:
            with suppress(RefusedOrderError):  # what the command does without a right is what is looked at
                flow.start()
            right.refused = self._wait_for_refusal(right, role)
            right.fails_at = self._settled_failure(flow) or ""
        finally:
            put_document(self._stack, role, role.document)
        if right.fails_at in LOGGED.values():
            flow = self._new_flow(
                start=False
            )  # lines that could not be written are gone: the next ones count
        with suppress(RefusedOrderError):
            flow.start()
        self._complete(flow)

    def _wait_for_refusal(self, right: Right, role: Role) -> int:
        def refused() -> int:
            wanted = (role.name, right.action, False)
            return sum(
                each.count
                for each in self._authorizations()
                if (each.role, each.action, each.allowed) == wanted
            )

        return next((seen for seen in looks(refused) if seen), 0)

    def _settled_failure(self, flow: Flow) -> str | None:
        """The failing step, once it has stayed the same for a while."""
        last, since = flow.first_failing_step(), time.monotonic()
        for step in looks(flow.first_failing_step):
            if step != last:
                last, since = step, time.monotonic()
            elif time.monotonic() - since > STILL_SECONDS:
                break
        return last

    def _complete(self, flow: Flow) -> None:
        """Wait for the end of the flow, with the runbook's redrive where a message was dead-lettered meanwhile."""
        missing: str | None = ""
        for missing in looks(flow.first_failing_step):
            if missing is None:
                break
            if count_messages(self._stack, self._stack["dead_letter_queue_url"]).available:
                move(self._stack, REDRIVES_PER_SECOND)
        if missing is not None:
            raise OperatorError(
                f"With all rights the flow of {flow.order_id} does not come to its end: {missing}."
            )
        expected = Totals(self._orders, self._orders * AMOUNT_CENTS)
        if (totals := read_totals(self._stack)) != expected:
            raise OperatorError(f"After {self._orders} orders the totals are {totals}, not {expected}.")

    def _new_flow(self, *, start: bool = True) -> Flow:
        self._orders += 1
        flow = Flow(self._stack, f"right-{self._orders}")
        if start:
            flow.start()
        return flow

    def _count(self, findings: Findings) -> None:
        used: Counter[tuple[str, str]] = Counter()
        for authorization in self._authorizations():
            for function, role in self._roles.items():
                if authorization.role == role.name and authorization.allowed:
                    used[function, authorization.action] += authorization.count
        for right in findings.rights:
            right.used = used[right.function, right.action]
        granted = {(right.function, right.action) for right in findings.rights}
        findings.used_but_not_granted = [" ".join(each) for each in sorted(used.keys() - granted)]
        findings.granted_but_not_used = [" ".join(each) for each in sorted(granted - used.keys())]

    def _authorizations(self) -> list[Authorization]:
        return read_authorizations(self._endpoint)

    @contextmanager
    def _mapping_stopped(self, right: Right) -> Iterator[None]:
        """The function's mapping starts anew after the block, if the right is one that is used then."""
        if right.action not in USED_AT_START.get(right.function, ()):
            yield
            return
        functions, uuid = self._stack.clients("lambda"), self._stack[f"{right.function}_mapping_uuid"]
        functions.update_event_source_mapping(UUID=uuid, Enabled=False)
        time.sleep(MAPPING_STOPS_SECONDS)
        try:
            yield
        finally:
            functions.update_event_source_mapping(UUID=uuid, Enabled=True)
