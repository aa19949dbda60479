"""Processor time per message of each function, against a null server: the part of an invocation that is ours."""

import functools
import time
from collections.abc import Callable
from typing import Any

from outbox_local.clients import Endpoint
from tools.benchmarks.functions import REGION, lambda_environment, quietly
from tools.benchmarks.inputs import message, order, stream_record
from tools.benchmarks.null_server import answer_at_once
from tools.benchmarks.paired import Document, Samples, interleaved, median_ratio, medians
from tools.benchmarks.pipeline import BASELINE, BATCHED, CASES, SINGLE, Case

MESSAGES = 200  # full batches of every size
NOWHERE = "http://127.0.0.1:9"
ENVIRONMENT = lambda_environment(Endpoint.with_new_keys(NOWHERE, REGION)) | {
    "SOURCE_TABLE": "source",
    "PROJECTION_TABLE": "projection",
    "QUEUE_URL": f"{NOWHERE}/queue",
}

MICROSECONDS = 1e6

Handler = Callable[[Any, Any], Any]


def measure(rounds: int) -> dict[str, Samples]:
    """Seconds per message by function and case; the first message, which warms things up, does not count."""
    return {
        function: interleaved(
            {name: functools.partial(_sample, *prepare(case)) for name, case in CASES.items()}, rounds
        )
        for function, prepare in (("command", _command), ("relay", _relay), ("consumer", _consumer))
    }


def figures(taken: dict[str, Samples]) -> Document:
    """Ratios of ours by the walkthrough, and each case's microseconds by function."""
    consumer = taken["consumer"]
    return {
        "consumer_cpu_ratio": median_ratio(consumer[BATCHED], consumer[BASELINE]),
        "batch_1": {
            "cpu_ratio": {
                function: median_ratio(samples[SINGLE], samples[BASELINE])
                for function, samples in taken.items()
            }
        },
        "cpu_microseconds_per_message": {
            function: {name: seconds * MICROSECONDS for name, seconds in medians(samples).items()}
            for function, samples in taken.items()
        },
    }


def _command(case: Case) -> tuple[Handler, list[Any]]:
    module = case.producer.load("command", ENVIRONMENT)
    answer_at_once(module.DYNAMODB)
    return module.lambda_handler, [order(number) for number in range(MESSAGES)]


def _relay(case: Case) -> tuple[Handler, list[Any]]:
    module = case.producer.load("relay", ENVIRONMENT)
    answer_at_once(module.SQS)
    return module.lambda_handler, _batches(stream_record, case.stream_batch_size)


def _consumer(case: Case) -> tuple[Handler, list[Any]]:
    module = case.consumer.load("consumer", ENVIRONMENT)
    answer_at_once(module.DYNAMODB)
    return module.lambda_handler, _batches(message, case.batch_size)


def _sample(handler: Handler, events: list[Any]) -> float:
    quietly(handler, events[0])
    begun = time.process_time()
    answers = [quietly(handler, event) for event in events]
    seconds = time.process_time() - begun
    if any(answer.get("batchItemFailures") for answer in answers):
        raise RuntimeError(f"The null server's answers were taken for failures: {answers}")
    return seconds / MESSAGES


def _batches(record: Callable[[int], dict[str, Any]], size: int) -> list[dict[str, Any]]:
    return [
        {"Records": [record(n) for n in range(first, first + size)]} for first in range(0, MESSAGES, size)
    ]
