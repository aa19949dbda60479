"""Steps of the inventory's demo, each with the expected and the stored result."""

import json
from collections.abc import Iterator
from typing import Any

from outbox.intents import Intent, perform_intents
from outbox_cli.demo.stepping import Step
from outbox_cli.errors import RefusedOrderError
from outbox_cli.orders.sending import place
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import count_messages, plain_item
from outbox_cli.trace.facts import read_log
from outbox_cli.waiting import Wait

TEA = {"reservation_id": "r-1", "article": "tea", "warehouse": "main", "pieces": 5}
SALT = {"reservation_id": "r-3", "article": "salt", "warehouse": "main", "pieces": 4}
ONE_WAREHOUSE = {
    "event_id": "stock-reserved:r-2",
    "type": "stock-reserved",
    "reservation_id": "r-2",
    "article": "tea",
    "pieces": 3,
}
"""An event of version 1, as it was written when there was one warehouse."""
TOO_EARLY = {
    "event_id": "reservation-shipped:r-3",
    "type": "reservation-shipped",
    "version": 1,
    "reservation_id": "r-3",
    "article": "salt",
    "warehouse": "main",
    "pieces": 4,
}
"""A shipment that overtakes its reservation."""
FROM_THE_FUTURE = {"event_id": "stock-reserved:r-9", "type": "stock-reserved", "version": 3}
NOT_UNDERSTOOD = (
    "RETRY UnknownEventError: stock-reserved:r-9 is of the type 'stock-reserved' and version 3; "
    "understood are stock-reserved 1-2, reservation-shipped 1."
)


def steps(stack: Stack, wait: Wait) -> Iterator[Step]:
    """The steps to run on a freshly deployed stack, one after the other."""
    mails: dict[str, Intent] = {}
    outboxes = {name: Stack(name, stack.outputs[name], stack.clients) for name in ("levels", "reservations")}

    def placed(command: dict[str, Any]) -> str:
        try:
            answer = place(outboxes["levels"], command)
        except RefusedOrderError as refusal:
            return f"refused: {str(refusal).partition(';')[0]}"
        return f"{answer['result']} {answer['event_id']}"

    def sent(consumer: str, event: dict[str, Any]) -> str:
        stack.clients("sqs").send_message(
            QueueUrl=outboxes[consumer]["queue_url"], MessageBody=json.dumps(event)
        )
        return "sent"

    def stored(consumer: str, partition: str, sort: str) -> dict[str, Any]:
        answer = stack.clients("dynamodb").get_item(
            TableName=outboxes[consumer]["projection_table_name"],
            Key={"PK": {"S": partition}, "SK": {"S": sort}},
            ConsistentRead=True,
        )
        return plain_item(answer.get("Item", {}))

    def level(article: str, goal: str) -> str:
        def look() -> str:
            item = stored("levels", f"ARTICLE#{article}", "LEVEL#main")
            return f"{item.get('reserved', 0)} reserved, {item.get('shipped', 0)} shipped"

        return wait.until(look, lambda seen: seen == goal)

    def status(reservation_id: str, goal: str) -> str:
        def look() -> str:
            return str(stored("reservations", f"RESERVATION#{reservation_id}", "STATE").get("status"))

        return wait.until(look, lambda seen: seen == goal)

    def old_event() -> str:
        for consumer in ("levels", "reservations"):
            sent(consumer, ONE_WAREHOUSE)
        return f"{level('tea', '3 reserved, 5 shipped')}; {status('r-2', 'RESERVED')}"

    def too_early() -> str:
        sent("reservations", TOO_EARLY)
        lines = wait.until(lambda: _lines(outboxes["reservations"], "reservation-shipped:r-3"), bool)
        return lines[0] if lines else "nothing"

    def not_understood() -> str:
        dead = wait.until(
            lambda: count_messages(stack, outboxes["levels"]["dead_letter_queue_url"]).available,
            lambda seen: seen > 0,
        )
        [line, *_] = _lines(outboxes["levels"], "stock-reserved:r-9") or ["nothing"]
        return f"{dead} dead letter; {line.partition(' Deploy')[0]}"

    def mailed() -> str:
        performed = perform_intents(
            stack.clients("dynamodb"),
            table=outboxes["reservations"]["projection_table_name"],
            name="send-mail",
            call=lambda each: mails.setdefault(each.idempotency_key, each),
        )
        return ", ".join(performed.done) or "nothing to do"

    shipment = {**TEA, "expected_version": 1}
    # First, because it is kept after five deliveries, and no other event waits for it.
    yield Step("an event that nobody understands comes", "sent", lambda: sent("levels", FROM_THE_FUTURE))
    yield Step("5 tea are reserved", "ACCEPTED stock-reserved:r-1", lambda: placed(TEA))
    yield Step("the same request again", "ALREADY_ACCEPTED stock-reserved:r-1", lambda: placed(TEA))
    yield Step(
        "the same reservation, other pieces",
        "refused: RESERVATION#r-1 already exists with another pieces",
        lambda: placed({**TEA, "pieces": 6}),
    )
    yield Step(
        "one consumer counts it", "5 reserved, 0 shipped", lambda: level("tea", "5 reserved, 0 shipped")
    )
    yield Step("the other follows its status", "RESERVED", lambda: status("r-1", "RESERVED"))
    yield Step(
        "shipping at a version that is not stored",
        "refused: RESERVATION#r-1/STATE was expected at version 7, but is stored at version 1",
        lambda: placed({**shipment, "expected_version": 7}),
    )
    yield Step("shipping at the stored version", "ACCEPTED reservation-shipped:r-1", lambda: placed(shipment))
    yield Step("shipping again", "ALREADY_ACCEPTED reservation-shipped:r-1", lambda: placed(shipment))
    yield Step(
        "reserving again, though it has changed", "ALREADY_ACCEPTED stock-reserved:r-1", lambda: placed(TEA)
    )
    yield Step(
        "what was reserved is gone", "0 reserved, 5 shipped", lambda: level("tea", "0 reserved, 5 shipped")
    )
    yield Step("the status follows", "SHIPPED", lambda: status("r-1", "SHIPPED"))
    yield Step("an event of version 1 is raised", "3 reserved, 5 shipped; RESERVED", old_event)
    yield Step(
        "a shipment before its reservation waits",
        "RETRY EffectRefusedError: reservation-shipped:r-3 expects RESERVATION#r-3/STATE to exist, and it does not",
        too_early,
    )
    yield Step("its reservation comes", "ACCEPTED stock-reserved:r-3", lambda: placed(SALT))
    yield Step("the shipment holds now", "SHIPPED", lambda: status("r-3", "SHIPPED"))
    yield Step(
        "the event that nobody understands is kept", f"1 dead letter; {NOT_UNDERSTOOD}", not_understood
    )
    yield Step("mails go out", "reservation-shipped:r-1, reservation-shipped:r-3", mailed)
    yield Step("and go out once", "nothing to do", mailed)
    yield Step(
        "each with a key of its own",
        "send-mail:reservation-shipped:r-1, send-mail:reservation-shipped:r-3",
        lambda: ", ".join(mails),
    )


def _lines(outbox: Stack, event_id: str) -> list[str]:
    return [line.text for line in read_log(outbox, "consumer", event_id)]
