"""Draws the result of a real run of the demo for the README: `make picture` writes `docs/demo.svg`."""

import io
import re
import sys

from rich.text import Text

from outbox_cli.demo.exercise import WALKTHROUGH
from outbox_cli.demo.run import DemoResult, run_demo
from outbox_cli.demo.show import Quiet, path_table, print_step, verdict
from outbox_cli.exit_codes import CHECK_FAILED, DONE
from outbox_cli.shown import Screen
from tools.repository import PROGRAM_DIRECTORY

PICTURE = PROGRAM_DIRECTORY / "docs" / "demo.svg"
COLUMNS = 100  # so that its text can be read in the column of a browser
SPEED = 30.0

# Rich names a font to fetch; a picture in a page may fetch nothing, and every viewer has a font of even width.
FETCHED_FONTS = re.compile(r"\s*@font-face \{[^}]*\}")


def draw(result: DemoResult) -> str:
    """One SVG of a terminal: the steps, the life of the event that failed, and the verdict."""
    console = Screen(
        record=True,
        width=COLUMNS,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
    )
    console.print(Text("$ make demo", "bold"))
    for step in result.steps:
        print_step(console, step)
    failed_once = WALKTHROUGH.second.event_id
    console.print(path_table(failed_once, result.paths[failed_once]))
    console.print(verdict(result))
    # A fixed id: rich's own depends on the content and would change every line of the file.
    svg = console.export_svg(title="One machine, no account", unique_id="demo")
    return FETCHED_FONTS.sub("", svg)


def main() -> int:
    """Runs the demo and stores its picture; a run in which a step does not hold is not shown to anybody."""
    result = run_demo("dev", None, SPEED, Quiet())
    if not result.ok:
        sys.stderr.write(f"No picture: the step {result.steps[-1].name!r} did not hold.\n")
        return CHECK_FAILED
    PICTURE.write_text(draw(result), encoding="utf-8")
    return DONE


if __name__ == "__main__":
    sys.exit(main())
