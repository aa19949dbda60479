"""Lets the components be imported where warnings are errors."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    # pulumi_aws warns about a type of its own, on import, whoever imports the Lambda service.
    config.addinivalue_line("filterwarnings", "ignore:aws.lambda/microvmsimage:DeprecationWarning")
