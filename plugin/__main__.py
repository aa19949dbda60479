"""Serves the components as the Pulumi package `outbox`, for programs in any language."""

import sys
from pathlib import Path

from pulumi.provider.experimental import component_provider_host
from pulumi.provider.experimental.host import components_from_module

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import components
from components.package import PACKAGE, VERSION

# Every component that the package offers to Python programs, and no other.
component_provider_host(components_from_module(components), name=PACKAGE, version=VERSION)
