"""Trace context: a trace that began with the caller, or with the function's own invocation, goes on behind the queue.

The header `traceparent` is that of https://www.w3.org/TR/trace-context/. A message that carries it gets the header of
X-Ray as well, from which Lambda continues the trace.
https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

TRACEPARENT = "traceparent"
# Lambda tells each invocation's trace in this variable.
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
XRAY_VARIABLE = "_X_AMZN_TRACE_ID"


def trace_headers(traceparent: object = None, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Headers for an event that continue a trace, for `EventType.event`; empty where no trace is known.

    Args:
        traceparent: what the command's caller gave; another form than W3C's is left out.
        environment: where the function's own trace is found, the process's by default.
    """
    if isinstance(traceparent, str) and _parts(traceparent):
        return {TRACEPARENT: traceparent}
    own = (os.environ if environment is None else environment).get(XRAY_VARIABLE, "")
    found = re.match(r"Root=1-([0-9a-f]{8})-([0-9a-f]{24});Parent=([0-9a-f]{16})(?:;Sampled=([01]))?", own)
    if not found:
        return {}
    seconds, rest, parent, sampled = found.groups()
    return {TRACEPARENT: f"00-{seconds}{rest}-{parent}-0{sampled or '0'}"}


def xray_header(headers: Mapping[str, str]) -> str | None:
    """The header of X-Ray that says the same as `traceparent`; None without one, or for one of another form."""
    parts = _parts(headers.get(TRACEPARENT, ""))
    if not parts:
        return None
    trace, parent, flags = parts
    return f"Root=1-{trace[:8]}-{trace[8:]};Parent={parent};Sampled={int(flags, 16) & 1}"


def _parts(traceparent: str) -> tuple[str, str, str] | None:
    found = re.fullmatch(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})", traceparent)
    if not found or not int(found[1], 16) or not int(found[2], 16):
        return None
    return found[1], found[2], found[3]
