"""The picture in the README is that of the demo as it is now, and needs nothing from elsewhere."""

import re

from outbox_cli.demo.exercise import WALKTHROUGH
from outbox_cli.demo.run import DemoResult
from outbox_cli.demo.stepping import StepResult
from outbox_cli.status.stored import Totals
from outbox_cli.trace.facts import LogLine
from tests.docs.documents import texts_of_picture
from tools.picture import PICTURE, draw


def test_picture_shows_every_line_of_a_result() -> None:
    step = StepResult("order-a is accepted", True, "ACCEPTED", "ACCEPTED")
    path = {WALKTHROUGH.second.event_id: [LogLine("relay", 0, f"FORWARDED {WALKTHROUGH.second.event_id}")]}
    result = DemoResult([step], Totals(1, 1000), {"table": 2}, [], [], path, 1.5)

    shown = texts_of_picture(draw(result))

    for words in (
        "order-a is accepted",
        "ACCEPTED",
        "relay",
        "FORWARDED",
        "All 1 steps held",
        "1 order, 1000 cents",
    ):
        assert words in shown


def test_stored_picture_fetches_nothing_and_shows_a_run_that_held() -> None:
    svg = PICTURE.read_text("utf-8")

    assert re.findall(r"https?://(?!www\.w3\.org|www\.textualize\.io)", svg) == []
    assert re.search(r"All \d+ steps held", texts_of_picture(svg))
    assert "FAIL" not in texts_of_picture(svg)
