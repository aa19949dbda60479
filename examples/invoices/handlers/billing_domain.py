"""The billing as the operator's verbs know it."""

from billing import FIELDS, INVOICES, INVOICES_MADE, ORDER_CREATED
from outbox.domain import Domain

DOMAIN = Domain(
    "billing",
    command=FIELDS,
    event_of=lambda command: ORDER_CREATED.event(f"order-created:{command['order_id']}", command),
    parse=INVOICES.parse,
    event_ids=["order-created:{}"],
    totals={INVOICES_MADE: ["count"]},
)
