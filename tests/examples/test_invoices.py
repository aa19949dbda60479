"""The chain of examples/invoices on a local AWS: an order reaches the second consumer once, with its origin."""

from components.testing import Wait, local_program
from tools.repository import PROGRAM_DIRECTORY

ORDER = {"order_id": "order-a", "amount_cents": 1000}


def test_order_makes_one_invoice_due_however_often_it_is_placed() -> None:
    with local_program(PROGRAM_DIRECTORY / "examples" / "invoices") as program:
        orders, invoices = program.outputs["orders"], program.outputs["invoices"]
        program.invoke(orders["command_function_name"], ORDER)
        program.invoke(orders["command_function_name"], ORDER)

        def due() -> list[object]:
            return [
                item["cents"]
                for item in program.items(invoices["projection_table_name"])
                if item["PK"] == "DUE"
            ]

        found = Wait(60).until(due, bool)
        made = {item["PK"]: item for item in program.items(invoices["source_table_name"])}

    assert found == [1000]
    assert made["INVOICES"]["count"] == 1
    assert made["OUTBOX#invoice-due:order-a"]["headers"] == {
        "correlation_id": "order-created:order-a",
        "causation_id": "order-created:order-a",
    }
