"""Writes a function's log in the format, and from the levels on, that its logging configuration sets.

ministack 1.5.33 writes Text whatever is set, and breaks a traceback into a line an event.
https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
"""

import json
import time
import uuid
from datetime import UTC, datetime
from typing import Any

from ministack.services import cloudwatch_logs, lambda_svc

from outbox_local.emulator.function_process import LINE_BREAK_IN_EVENT

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
LEVELS_OF_PYTHON = {"WARNING": "WARN", "CRITICAL": "FATAL"}
DEFAULT_LEVEL = "INFO"


def install() -> None:
    """Replaces the emulator's writer of function logs."""
    lambda_svc._emit_lambda_logs = emit


def emit(
    function: dict[str, Any],
    request_id: str,
    log_text: str,
    error: bool,
    duration_ms: int,
    **_: object,
) -> None:
    """Writes the events of one invocation, between Lambda's own; where the text is from makes no difference."""
    config = function["config"]
    logging = config.get("LoggingConfig") or {}
    group_name = logging.get("LogGroup") or f"/aws/lambda/{config['FunctionName']}"
    written = [line.replace(LINE_BREAK_IN_EVENT, "\n") for line in log_text.split("\n") if line]
    report = {
        "durationMs": duration_ms,
        "billedDurationMs": duration_ms,
        "memorySizeMB": config["MemorySize"],
        "maxMemoryUsedMB": lambda_svc._probe_peak_memory_mb(function),
    }
    if logging.get("LogFormat") == "JSON":
        messages = _as_json(logging, request_id, config["Version"], written, report, failed=error)
    else:
        messages = _as_text(request_id, config["Version"], written, report)
    now = datetime.now(UTC)
    stream_name = f"{now:%Y/%m/%d}/[{config['Version']}]{uuid.uuid4().hex}"
    if group_name not in cloudwatch_logs._log_groups:
        cloudwatch_logs._create_log_group({"logGroupName": group_name})
    cloudwatch_logs._create_log_stream({"logGroupName": group_name, "logStreamName": stream_name})
    now_ms = int(time.time() * 1000)
    events = [{"timestamp": now_ms, "message": message, "ingestionTime": now_ms} for message in messages]
    cloudwatch_logs._append_log_events(
        cloudwatch_logs._log_groups[group_name]["streams"][stream_name], events
    )


def _as_text(request_id: str, version: str, written: list[str], report: dict[str, Any]) -> list[str]:
    reported = "\t".join(
        (
            f"REPORT RequestId: {request_id}",
            f"Duration: {report['durationMs']} ms",
            f"Billed Duration: {report['billedDurationMs']} ms",
            f"Memory Size: {report['memorySizeMB']} MB",
            f"Max Memory Used: {report['maxMemoryUsedMB']} MB",
        )
    )
    start = f"START RequestId: {request_id} Version: {version}"
    return [start, *written, f"END RequestId: {request_id}", reported]


def _as_json(
    logging: dict[str, Any],
    request_id: str,
    version: str,
    written: list[str],
    report: dict[str, Any],
    *,
    failed: bool,
) -> list[str]:
    system, application = (
        LEVELS.index(logging.get(name) or DEFAULT_LEVEL) for name in ("SystemLogLevel", "ApplicationLogLevel")
    )
    started = {"requestId": request_id, "version": version}
    ended = {"requestId": request_id, "metrics": report, "status": "error" if failed else "success"}
    return [
        *([_platform("start", started)] if system <= LEVELS.index("INFO") else []),
        *(each for each in written if application <= LEVELS.index(level_of(each))),
        *([_platform("report", ended)] if system <= LEVELS.index("WARN" if failed else "INFO") else []),
    ]


def level_of(event: str) -> str:
    """The level of an event of the function's own; Lambda takes what tells none for INFO."""
    try:
        entry = json.loads(event)
    except ValueError:
        return DEFAULT_LEVEL
    told = str(entry.get("level", "")).upper() if isinstance(entry, dict) else ""
    level = LEVELS_OF_PYTHON.get(told, told)
    return level if level in LEVELS else DEFAULT_LEVEL


def _platform(name: str, record: dict[str, Any]) -> str:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"time": now, "type": f"platform.{name}", "record": record})
