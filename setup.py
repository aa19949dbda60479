"""The wheel's build: from what is here now. All else about it stands in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup

# setuptools adds to what an earlier build left here, and takes all of it into the wheel.
shutil.rmtree(Path(__file__).parent / "build" / "lib", ignore_errors=True)
setup()
