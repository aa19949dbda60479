"""Lambda's functions: Python callables that answer an event, or fail."""

import io
import json
from collections.abc import Callable, Mapping
from typing import Any

Function = Callable[[Any], Any]
"""Answers a parsed event with a JSON-able answer; an exception is a function error."""


class Lambda:
    """The client of all functions, by ARN; each invocation runs to its end at once."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions = functions

    def get_function_configuration(self, **request: Any) -> dict[str, Any]:
        """The function's role: nothing is judged here, so its name says no more than whose it is."""
        return {"Role": f"role of {request['FunctionName']}"}

    def invoke(self, **request: Any) -> dict[str, Any]:
        """Run a function on the event and answer as Lambda does."""
        payload, error = answer_of(self._functions[request["FunctionName"]], json.loads(request["Payload"]))
        answer = {"Payload": io.BytesIO(payload), "ResponseMetadata": {}}
        return answer if error is None else {**answer, "FunctionError": error}


def answer_of(function: Function, event: Any) -> tuple[bytes, str | None]:
    """Lambda's answer for one run: the payload, and the function error if there was one."""
    try:
        return json.dumps(function(event)).encode(), None
    except Exception as error:  # noqa: BLE001 - every exception of a function is its answer
        return json.dumps(
            {"errorType": type(error).__name__, "errorMessage": str(error)}
        ).encode(), "Unhandled"
