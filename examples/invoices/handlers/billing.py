"""The domain: an order makes an invoice due, and a second consumer adds up what is due."""

from outbox.effects import Add, Effect
from outbox.events import Event, EventType, Projection
from outbox.fields import Shape, Text, WholeNumber
from outbox.items import Key
from outbox.publish import caused_by, publish

ORDER_ID = Text(r"[a-z0-9-]{1,40}", "text of 1-40 lowercase letters, digits or hyphens")
FIELDS: Shape = {"order_id": ORDER_ID, "amount_cents": WholeNumber(1, 1_000_000)}
ORDER_CREATED = EventType("OrderCreated", FIELDS, writes_version_1=False)
INVOICE_DUE = EventType("InvoiceDue", FIELDS)

INVOICES_MADE, DUE = Key("INVOICES", "TOTAL"), Key("DUE", "TOTAL")


def make_due(order: Event) -> list[Effect]:
    """Counts the invoice, and tells of it in the same transaction."""
    invoice = INVOICE_DUE.event(f"invoice-due:{order.fields['order_id']}", order.fields, caused_by(order))
    return [Add(INVOICES_MADE, {"count": 1}), publish(invoice)]


def add_up(invoice: Event) -> list[Effect]:
    """Adds the amount to what is due."""
    return [Add(DUE, {"cents": invoice.fields["amount_cents"]})]


INVOICES = Projection({ORDER_CREATED: make_due})
DUES = Projection({INVOICE_DUE: add_up})
