"""Serves the components as the Pulumi package `outbox`, for programs in any language."""

import sys
from pathlib import Path

from pulumi.provider import main

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from plugin.provider import OutboxProvider

main(OutboxProvider(), sys.argv[1:])
