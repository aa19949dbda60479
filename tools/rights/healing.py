"""The rights of the reconciler, which a stack has on request, as prod does.

The relay is off, so each event is lost. A run of the reconciler without one of its rights leaves it lost, or says
nothing of it; the next run, with the right again, sends it, and it counts once.
"""

import json
import time
from collections.abc import Callable

from outbox_cli.errors import OperatorError
from outbox_cli.orders.sending import place
from outbox_cli.stack.deployed import RECONCILER, Stack
from outbox_cli.status.stored import Totals, read_totals
from outbox_cli.trace.facts import read_log
from outbox_local.authorization_log import Authorization, read_authorizations
from outbox_local.clients import Endpoint
from outbox_local.schedules import scheduled_event
from tools.rights.documents import allowed_actions, statement_of, without
from tools.rights.flow import AMOUNT_CENTS
from tools.rights.observing import POLL_SECONDS, looks
from tools.rights.roles import put_document, role_of
from tools.rights.run import Findings, Right

SETTINGS = {"transactional-outbox:reconcileIndex": "true", "transactional-outbox:reconciler": "true"}
RESENT = "a lost event is sent again"
LOGGED = "the reconciler's log tells of it"
# The age at which a run of a default stack first looks at an event, and a little more.
LATER_SECONDS = 900 + 120
SETTLED_SECONDS = 2.0


class Healing:
    """The run, on a freshly deployed stack with SETTINGS that nobody else uses."""

    def __init__(self, stack: Stack, endpoint: Endpoint, report: Callable[[Right], None]) -> None:
        self._stack = stack
        self._endpoint = endpoint
        self._report = report
        self._role = role_of(stack, RECONCILER)
        self._orders = 0

    def run(self) -> Findings:
        """Take each of its rights away once.

        Raises:
            OperatorError: Something did not come about, or an order was lost or counted twice.
        """
        self._stack.clients("lambda").update_event_source_mapping(
            UUID=self._stack["relay_mapping_uuid"], Enabled=False
        )
        findings = Findings()
        for action in allowed_actions(self._role.document):
            right = Right(RECONCILER, action, statement_of(self._role.document, action))
            self._take_away(right)
            findings.rights.append(right)
            self._report(right)
        used = {each.action for each in self._authorizations() if each.allowed}
        granted = {right.action for right in findings.rights}
        findings.used_but_not_granted = [f"{RECONCILER} {each}" for each in sorted(used - granted)]
        findings.granted_but_not_used = [f"{RECONCILER} {each}" for each in sorted(granted - used)]
        for right in findings.rights:
            right.used = sum(
                each.count for each in self._authorizations() if each.allowed and each.action == right.action
            )
        return findings

    def _take_away(self, right: Right) -> None:
        event_id = self._lose()
        put_document(self._stack, self._role, without(self._role.document, right.action))
        self._invoke()
        self._expect(lambda: bool(self._refused(right)), f"the refusal of {right.action}")
        right.refused = self._refused(right)
        right.fails_at = self._failure(event_id)
        put_document(self._stack, self._role, self._role.document)
        self._invoke()
        whole = Totals(self._orders, self._orders * AMOUNT_CENTS)
        self._expect(lambda: read_totals(self._stack) == whole, f"{whole}")

    def _failure(self, event_id: str) -> str:
        """Where the run without the right has failed; what it sent may take a moment to be counted."""
        ends = time.monotonic() + SETTLED_SECONDS
        while read_totals(self._stack).order_count < self._orders:
            if time.monotonic() > ends:
                return RESENT
            time.sleep(POLL_SECONDS)
        return "" if self._logged(event_id) else LOGGED

    def _lose(self) -> str:
        self._orders += 1
        order = {"order_id": f"lost-{self._orders}", "amount_cents": AMOUNT_CENTS}
        return str(place(self._stack, order)["event_id"])

    def _invoke(self) -> None:
        event = scheduled_event("arn:local:events:here:0:rule/by-hand", time.time() + LATER_SECONDS)
        self._stack.clients("lambda").invoke(
            FunctionName=self._stack["reconciler_function_name"], Payload=json.dumps(event).encode()
        )

    def _logged(self, event_id: str) -> bool:
        return any(event_id in line.text for line in read_log(self._stack, RECONCILER, event_id))

    def _refused(self, right: Right) -> int:
        return sum(
            each.count for each in self._authorizations() if not each.allowed and each.action == right.action
        )

    def _authorizations(self) -> list[Authorization]:
        return [each for each in read_authorizations(self._endpoint) if each.role == self._role.name]

    def _expect(self, holds: Callable[[], bool], what: str) -> None:
        if not any(looks(holds)):
            raise OperatorError(f"With the reconciler, {what} did not come about.")
