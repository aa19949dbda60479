"""The walkthrough's domain as the operator's verbs know it."""

from orders import ORDER, SALES_TOTAL, Order, event_id_of, event_of, sales
from outbox.domain import Domain

DOMAIN = Domain(
    "orders",
    command=ORDER,
    event_of=lambda command: event_of(Order(**command)),
    parse=sales().parse,
    event_ids=[event_id_of("{}")],
    totals={SALES_TOTAL: ["order_count", "revenue_cents"]},
)
