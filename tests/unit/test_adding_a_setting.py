"""A new setting needs an argument with its text and a row: everything else follows."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.unit.root_program import ROOT

ARGUMENT = '    answer_seconds: NotRequired[int]\n    """How long an answer takes."""\n'
ROW = 'ANSWER_SECONDS = WholeNumber("answer_seconds", 42, 7, 99)\n'
PARSED = """
from components.settings import parse_settings
print(parse_settings("p", {"answerSeconds": "8"}).relay, parse_settings("p", {"relay": '{"answerSeconds": 9}'}).relay)
parse_settings("p", {"answerSeconds": "6"})
"""


def test_setting_added_in_two_files_is_configured_checked_and_documented(tmp_path: Path) -> None:
    for folder in ("components", "handlers", "plugin", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    add(tmp_path / "components" / "relay.py", ARGUMENT, before="    stream_batch_size: NotRequired")
    add(tmp_path / "components" / "limits.py", ROW, before="ROWS: dict")

    run(tmp_path, "-m", "plugin.describe")
    parsed = run(tmp_path, "-c", PARSED)

    for place in ("Pulumi.yaml", "docs/settings.md", "plugin/schema.json"):
        text = (tmp_path / place).read_text(encoding="utf-8")
        assert "How long an answer takes. Default: 42. Must be 7 to 99." in text
    assert parsed.stdout == "{'answer_seconds': 8} {'answer_seconds': 9}\n"
    assert "answerSeconds must be 7 to 99, but is 6." in parsed.stderr


def add(path: Path, text: str, *, before: str) -> None:
    source = path.read_text(encoding="utf-8")
    assert before in source
    path.write_text(source.replace(before, text + before, 1), encoding="utf-8")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
