"""The runbook: a section for each alarm, complete, and every link in it leads somewhere."""

import re

import pytest

from components.alarms import ALARMS
from components.limits import RUNBOOK_URL
from tests.unit.aws_mocks import ALARM
from tests.unit.root_program import ROOT, run_root

TEXT = (ROOT / RUNBOOK_URL.default).read_text(encoding="utf-8")
PARTS = ("**Means.** ", "**Not lost.** ", "**Check first.** ", "**Do.** ", "**Over when** ")
OF_NO_ALARM = {
    "the-relay-was-off",
    "the-stream-was-trimmed",
    "replaced-mapping",
    "backfill-a-new-consumer",
    "rebuild-a-projection",
    "the-stack-cannot-be-destroyed",
    "what-no-alarm-sees",
}


def anchor(heading: str) -> str:
    """A heading's anchor, as GitHub makes it: small letters, no punctuation, hyphens for spaces."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def sections() -> dict[str, str]:
    """The text of each section by its anchor."""
    _, *found = re.split(r"^## ", TEXT, flags=re.MULTILINE)
    return {anchor(section.partition("\n")[0]): section.partition("\n")[2] for section in found}


def test_every_alarm_has_a_section_and_every_other_section_is_listed() -> None:
    assert sections().keys() == {alarm.anchor for alarm in ALARMS} | OF_NO_ALARM


@pytest.mark.parametrize("section", sorted({alarm.anchor for alarm in ALARMS}))
def test_section_of_an_alarm_says_all_five_things_in_their_order(section: str) -> None:
    text = sections()[section]

    places = [text.find(f"\n{part}") for part in PARTS]
    assert -1 not in places
    assert places == sorted(places)


def test_description_of_every_registered_alarm_names_a_section() -> None:
    recording = run_root("prod")

    named = [
        alarm.inputs["alarmDescription"].rpartition(f"{RUNBOOK_URL.default}#")[2]
        for alarm in recording.of_type(ALARM)
    ]
    assert named
    assert set(named) <= sections().keys()


def test_links_inside_the_runbook_lead_to_a_section() -> None:
    links = re.findall(r"\]\(#([\w-]+)\)", TEXT)

    assert links
    assert set(links) <= sections().keys()


def test_settings_that_the_runbook_names_exist() -> None:
    declared = (ROOT / "Pulumi.yaml").read_text(encoding="utf-8")

    named = set(re.findall(r"`([a-z]+[A-Z]\w+)`", TEXT))

    assert {name for name in named if f"\n  {name}:\n" not in declared} == set()
