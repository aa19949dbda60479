"""The right to report abandoned records. The relay has it only with a failure queue, as in prod.

The relay may not forward for a while, so Lambda abandons its batch. With the right, a pointer arrives in the
failure queue; without it, the pointer is lost. The row stays either way, and reconciliation sends the event. Then
the relay has all its rights and forwards an order, to compare the rights it used with those it has.
"""

from collections.abc import Callable

from outbox_cli.errors import OperatorError
from outbox_cli.orders.sending import place
from outbox_cli.reconcile.search import reconcile
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals, count_messages, read_totals
from outbox_local.authorization_log import Authorization, read_authorizations
from outbox_local.clients import Endpoint
from tools.rights.documents import allowed_actions, without_statements
from tools.rights.flow import AMOUNT_CENTS
from tools.rights.observing import looks
from tools.rights.roles import put_document, role_of
from tools.rights.run import Findings, Right

SETTINGS = {"transactional-outbox:failureQueue": "true", "transactional-outbox:streamMaximumRetries": "1"}
FORWARD, REPORT = "ForwardOutbox", "ReportFailedRecords"
SEND = "sqs:SendMessage"
REPORTED = "an abandoned batch is reported"


class Reporting:
    """The run, on a freshly deployed stack with SETTINGS that nobody else uses."""

    def __init__(self, stack: Stack, endpoint: Endpoint) -> None:
        self._stack = stack
        self._endpoint = endpoint
        self._role = role_of(stack, "relay")

    def run(self) -> Findings:
        """Give up one order's batch with the right and one without it, recover both, and forward a third.

        Raises:
            OperatorError: Something did not come about, or an order was lost or counted twice.
        """
        right = Right("relay", SEND, REPORT)
        self._place("reported", FORWARD)
        self._expect(lambda: self._pointers() == 1, "a pointer to the abandoned records")
        self._place("unreported", FORWARD, REPORT)
        self._expect(lambda: self._reports(allowed=False) > 0, "the refusal of the second pointer")
        right.refused, right.used = self._reports(allowed=False), self._reports(allowed=True)
        right.fails_at = REPORTED if self._pointers() == 1 else ""
        reconcile(self._stack, send=True)
        self._place("forwarded")
        self._expect(
            lambda: read_totals(self._stack) == Totals(3, 3 * AMOUNT_CENTS), "each order counted once"
        )
        granted = {
            (action, statement["Sid"] == REPORT)
            for statement in self._role.document["Statement"]
            for action in allowed_actions({"Statement": [statement]})
        }
        used = {(each.action, self._is_report(each)) for each in self._judged(allowed=True)}
        return Findings([right], _named(used - granted), _named(granted - used))

    def _place(self, order_id: str, *taken: str) -> None:
        """Place an order with a relay that lacks these statements."""
        put_document(self._stack, self._role, without_statements(self._role.document, *taken))
        place(self._stack, {"order_id": order_id, "amount_cents": AMOUNT_CENTS})

    def _pointers(self) -> int:
        counts = count_messages(self._stack, self._stack["relay_failure_queue_url"])
        return counts.available + counts.in_flight

    def _reports(self, *, allowed: bool) -> int:
        """How often the relay's role was judged so when it reported."""
        return sum(each.count for each in self._judged(allowed=allowed) if self._is_report(each))

    def _judged(self, *, allowed: bool) -> list[Authorization]:
        return [
            each
            for each in read_authorizations(self._endpoint)
            if (each.role, each.allowed) == (self._role.name, allowed)
        ]

    def _is_report(self, authorization: Authorization) -> bool:
        queue_name = self._stack["relay_failure_queue_url"].rpartition("/")[2]
        return authorization.resource.endswith(f":{queue_name}")

    def _expect(self, holds: Callable[[], bool], what: str) -> None:
        if not any(looks(holds)):
            raise OperatorError(f"With a failure queue, {what} did not come about.")


def _named(rights: set[tuple[str, bool]]) -> list[str]:
    return [f"relay {action}" + f" ({REPORT})" * is_report for action, is_report in sorted(rights)]
