import json
import sys
from collections import Counter

import pytest

from tests.policy.judging import BY_NAME, judge
from tests.policy.mutations import mutations
from tests.policy.worlds import recorded
from tests.unit.root_program import ROOT

SCORE = ROOT / "build" / "mutations.json"
FEWEST = 250


@pytest.mark.parametrize("stack", ["dev", "prod"])
@pytest.mark.parametrize("preview", [True, False])
def test_own_stack_untouched_has_no_finding(stack: str, preview: bool) -> None:
    world = recorded(stack, preview=preview)

    judged = judge(world)

    assert judged.findings == []
    assert bool(judged.pending) is preview


def test_mutations_of_both_stacks_are_each_caught_by_their_rule(capsys: pytest.CaptureFixture[str]) -> None:
    found = [mutation for stack in ("dev", "prod") for mutation in mutations(stack)]

    escaped, by_rule = [], Counter[str]()
    for mutation in found:
        world = recorded(mutation.stack, preview=mutation.preview)
        mutation.change(world)
        if judge(world, mutation.rule).findings:
            by_rule[mutation.rule] += 1
        else:
            escaped.append(f"{mutation.rule} in {mutation.stack}: {mutation.title}")
    caught = len(found) - len(escaped)
    SCORE.parent.mkdir(exist_ok=True)
    score = {"mutations": len(found), "caught": caught, "by_rule": dict(sorted(by_rule.items()))}
    SCORE.write_text(json.dumps(score, indent=2) + "\n", encoding="utf-8")
    with capsys.disabled():
        sys.stdout.write(f"\npolicy mutations: {caught} of {len(found)} caught by {len(by_rule)} rules\n")

    assert escaped == []
    assert len(found) >= FEWEST
    assert by_rule.keys() == BY_NAME.keys(), "a rule that catches no mutation guards nothing"
