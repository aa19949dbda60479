"""A chain: orders are stored, each makes an invoice due, and what is due is added up by a second consumer.

On a local AWS: `outbox local up` in this folder, then `outbox place order-a 1000 --outbox orders`.
"""

from transactional_outbox import IdempotentConsumer, OutboxSource, Relay, export_outbox

source = OutboxSource("orders", {})
invoices = IdempotentConsumer(
    "invoices", {"code": "handlers", "handler": "invoices.lambda_handler", "publishes": True}
)
dues = IdempotentConsumer("dues", {"code": "handlers", "handler": "dues.lambda_handler"})
orders = Relay("orders", {"stream_arn": source.stream_arn, "queues": [invoices.queue]})
published = Relay("invoices", {"stream_arn": invoices.stream_arn, "queues": [dues.queue]})
export_outbox(source, orders, invoices, name="orders", domain="billing")
export_outbox(invoices, published, dues, name="invoices")
