"""The programs of examples/: the pack has nothing to say of them, and needs no configuration for it."""

from typing import Any

import pytest

from tests.policy.judging import judge
from tests.policy.worlds import recorded
from tests.unit.root_program import ROOT


@pytest.mark.parametrize(
    "situation", [{}, {"partition": "aws-cn"}, {"preview": True}], ids=["update", "china", "first preview"]
)
def test_pack_finds_nothing_in_the_inventory(situation: dict[str, Any]) -> None:
    world = recorded(directory=ROOT / "examples" / "inventory", **situation)

    judged = judge(world)

    assert len(world.of("aws:lambda/function:Function")) == 4
    assert judged.findings == []
    assert bool(judged.pending) is ("preview" in situation)
