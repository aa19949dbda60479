"""Build of the wheel, from the files as they are now. Its other settings are in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import find_packages, setup

# setuptools adds to what an earlier build left here, and takes all of it into the wheel.
shutil.rmtree(Path(__file__).parent / "build" / "lib", ignore_errors=True)
setup(
    packages=[
        "transactional_outbox",
        "transactional_outbox.handlers",
        "transactional_outbox.handlers.outbox",
        "outbox",
        *find_packages(include=["outbox_cli*", "outbox_local*"]),
    ]
)
