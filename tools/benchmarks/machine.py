"""The machine and the time of a measurement."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

PACKAGES = (
    "aws-lambda-powertools",
    "boto3",
    "botocore",
    "ministack",
    "pulumi",
    "pulumi-aws",
    "pulumi-policy",
)


def surroundings() -> dict[str, Any]:
    """Machine, versions and date; the load says how far the times can be trusted."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
            "processors": os.cpu_count(),
            "load_average": os.getloadavg(),
        },
        "versions": {"python": platform.python_version()} | {name: version(name) for name in PACKAGES},
    }


def _processor() -> str:
    """The processor's own name where the system tells it, else its architecture."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except FileNotFoundError:
        names = []
    return names[0] if names else platform.machine()
