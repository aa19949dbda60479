"""Switches the consumer's controlled fault on and off: one order id whose message fails after its commit."""

from outbox_cli.stack.deployed import Stack

FAULT_VARIABLE = "FAULT_AFTER_COMMIT"
# Lambda's own state changes take well under a second; the waiter's usual pause is one.
WAIT_FOR_UPDATE = {"Delay": 0.2, "MaxAttempts": 300}


def read_variables(stack: Stack) -> dict[str, str]:
    """The variables of the consumer's environment."""
    configuration = stack.clients("lambda").get_function_configuration(
        FunctionName=stack["consumer_function_name"]
    )
    return dict(configuration["Environment"]["Variables"])


def set_fault(stack: Stack, order_id: str | None) -> dict[str, str]:
    """Names the order whose message shall fail, or none; returns the variables the consumer now has.

    The other variables stay as they are. Waits until the function runs with the change.
    """
    functions = stack.clients("lambda")
    name = stack["consumer_function_name"]
    wanted = {key: value for key, value in read_variables(stack).items() if key != FAULT_VARIABLE}
    if order_id is not None:
        wanted[FAULT_VARIABLE] = order_id
    functions.update_function_configuration(FunctionName=name, Environment={"Variables": wanted})
    functions.get_waiter("function_updated_v2").wait(FunctionName=name, WaiterConfig=WAIT_FOR_UPDATE)
    return wanted
