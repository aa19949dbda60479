"""The programs of examples/: the pack has nothing to say of them, and needs no configuration for it."""

import pytest

from tests.policy.judging import judge
from tests.policy.worlds import recorded
from tests.unit.root_program import ROOT

INVENTORY = ROOT / "examples" / "inventory"


@pytest.mark.parametrize("partition", ["aws", "aws-cn"])
def test_pack_finds_nothing_in_an_update_of_the_inventory(partition: str) -> None:
    world = recorded(partition=partition, directory=INVENTORY)

    judged = judge(world)

    assert len(world.of("aws:lambda/function:Function")) == 4
    assert judged.findings == []
    assert judged.pending == []


def test_pack_finds_nothing_in_a_first_preview_of_the_inventory() -> None:
    judged = judge(recorded(preview=True, directory=INVENTORY))

    assert judged.findings == []
