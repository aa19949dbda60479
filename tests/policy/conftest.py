"""Lets the pack be imported as the engine runs it: from its own folder, with flat imports."""

import sys

import pytest

from tests.unit.root_program import ROOT

sys.path.insert(0, str(ROOT / "policy"))


def pytest_configure(config: pytest.Config) -> None:
    # pulumi_aws warns about a type of its own, on import, whoever imports the Lambda service.
    config.addinivalue_line("filterwarnings", "ignore:aws.lambda/microvmsimage:DeprecationWarning")
