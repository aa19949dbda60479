"""What else a verb calls on a stack in memory: logs, functions and metrics that tell any text."""

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Logs:
    """CloudWatch's logs: each text in lines of each kind, in both formats."""

    texts: Sequence[str]

    def get_paginator(self, _: str) -> "Logs":
        return self

    def paginate(self, **_: Any) -> Iterator[dict[str, Any]]:
        words = ("ACCEPTED", "APPLIED", "RETRY RuntimeError:", "")
        lines = [f"{word} {text}" for text in self.texts for word in words]
        lines += [json.dumps({"message": line}) for line in lines]
        lines += ["", " ", "APPLIED", "null", '{"message": null}', "[" * 5000]
        yield {
            "events": [{"timestamp": 1_788_609_600_000 + n, "message": each} for n, each in enumerate(lines)]
        }


@dataclass
class Functions:
    """Lambda: the command refuses with a text, and mappings and variables tell it."""

    texts: Sequence[str]

    def invoke(self, **_: Any) -> dict[str, Any]:
        answer = {"errorMessage": self.texts[0]}
        return {"FunctionError": "Unhandled", "Payload": io.BytesIO(json.dumps(answer).encode())}

    def get_event_source_mapping(self, **_: Any) -> dict[str, Any]:
        return {"State": self.texts[0], "LastProcessingResult": self.texts[-1]}

    def get_function_configuration(self, **_: Any) -> dict[str, Any]:
        return {"Environment": {"Variables": {"TABLE": self.texts[0]}}}

    def update_function_configuration(self, **_: Any) -> None:
        """Changes nothing."""

    def get_waiter(self, _: str) -> Any:
        return self

    def wait(self, **_: Any) -> None:
        """Ends at once."""


@dataclass
class Metrics:
    """CloudWatch's metrics: none."""

    texts: Sequence[str]

    def get_metric_data(self, **_: Any) -> dict[str, Any]:
        return {"MetricDataResults": []}
