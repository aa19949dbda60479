"""Rules that fire by the clock: EventBridge's part between a stored rate and the function that it starts.

https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html
"""

import json
import logging
import re
import threading
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from botocore.exceptions import ClientError

from outbox_local.event_sources import MakeClient
from outbox_local.event_sources.clock import Clock, StoppableClock

logger = logging.getLogger(__name__)

RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
SECONDS = {"minute": 60, "hour": 3600, "day": 86_400}
WATCH_SECONDS = 0.2
STOP_SECONDS_MOST = 60.0
INVOKE = "lambda:InvokeFunction"
SERVICE = "events.amazonaws.com"


class Schedules:
    """Starts the functions of every enabled rule with a rate, as rules are made, changed, disabled and deleted.

    The first run comes one interval after the rule is first seen. A function that fails is logged and not tried
    again before its next time, where Lambda would try twice more.

    Args:
        make_client: makes the clients; the operator's are used.
        speed: divides the intervals. The time that an event tells is the real one all the same, so above 1 a
            function sees its windows of time overlap.
        clock: the time, and the wish to stop.
    """

    def __init__(self, make_client: MakeClient, *, speed: float = 1.0, clock: Clock | None = None) -> None:
        self._make_client = make_client
        self._speed = speed
        self._stoppable = StoppableClock(time.time)
        self._clock = clock or self._stoppable
        self._due: dict[tuple[str, str], float] = {}
        self._thread = threading.Thread(target=self._run, name="schedules", daemon=True)

    def step(self) -> list[str]:
        """Start what is due now, one after the other; tells the ARNs of the functions."""
        events = self._make_client("events", None)
        now = self._clock.now()
        started: list[str] = []
        rules = {(rule["Name"], rule["ScheduleExpression"]): rule for rule in _scheduled(events)}
        self._due = {key: due for key, due in self._due.items() if key in rules}
        for key, rule in rules.items():
            interval = _seconds(rule["ScheduleExpression"]) / self._speed
            due = self._due.setdefault(key, now + interval)
            if due <= now:
                self._due[key] = due + interval if due + interval > now else now + interval
                for target in events.list_targets_by_rule(Rule=rule["Name"])["Targets"]:
                    started.append(target["Arn"])
                    self._start(rule, target["Arn"], now)
        return started

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stoppable.stop()
        self._thread.join(STOP_SECONDS_MOST)

    def _run(self) -> None:
        while not self._clock.stopped():
            try:
                self.step()
            except Exception:
                logger.exception("schedules failed; trying again")
            self._clock.wait(WATCH_SECONDS)

    def _start(self, rule: dict[str, Any], function_arn: str, now: float) -> None:
        functions = self._make_client("lambda", None)
        if not _is_permitted(functions, function_arn, rule["Arn"]):
            logger.warning("rule %s may not invoke %s: it has no permission", rule["Name"], function_arn)
            return
        answer = functions.invoke(
            FunctionName=function_arn, Payload=json.dumps(scheduled_event(rule["Arn"], now)).encode()
        )
        if "FunctionError" in answer:
            logger.warning("rule %s: %s failed: %s", rule["Name"], function_arn, answer["Payload"].read())


def scheduled_event(rule_arn: str, now: float) -> dict[str, Any]:
    """Event that EventBridge passes to a function at a time (epoch seconds), to the second."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": rule_arn.split(":")[4],
        "time": datetime.fromtimestamp(int(now), UTC).isoformat().replace("+00:00", "Z"),
        "region": rule_arn.split(":")[3],
        "resources": [rule_arn],
        "detail": {},
    }


def _scheduled(events: Any) -> Iterator[dict[str, Any]]:
    for page in events.get_paginator("list_rules").paginate():
        for rule in page["Rules"]:
            if rule.get("State") == "ENABLED" and RATE.fullmatch(rule.get("ScheduleExpression", "")):
                yield rule


def _seconds(expression: str) -> float:
    rate = RATE.fullmatch(expression)
    return int(rate[1]) * SECONDS[rate[2]] if rate else 0.0


def _is_permitted(functions: Any, function_arn: str, rule_arn: str) -> bool:
    """Whether the function's own policy lets EventBridge invoke it for this rule."""
    try:
        policy = json.loads(functions.get_policy(FunctionName=function_arn)["Policy"])
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
        return False
    return any(
        statement["Effect"] == "Allow"
        and statement["Action"] == INVOKE
        and statement["Principal"] == {"Service": SERVICE}
        and statement.get("Condition", {}).get("ArnLike", {}).get("AWS:SourceArn") == rule_arn
        for statement in policy["Statement"]
    )
