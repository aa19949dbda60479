import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from pack.resources import ALARM, DASHBOARD, FUNCTION
from tests.policy.judging import BY_NAME, judge
from tests.policy.mutations import mutations
from tests.policy.worlds import World, recorded
from tests.unit.root_program import ROOT

SCORE = ROOT / "build" / "mutations.json"
FEWEST = 250

Setting = tuple[str, tuple[str, ...]]
"""A resource or a type of resources, and the path to one of its settings."""


@pytest.mark.parametrize("stack", ["dev", "prod"])
@pytest.mark.parametrize("preview", [True, False])
def test_own_stack_untouched_has_no_finding(stack: str, preview: bool) -> None:
    world = recorded(stack, preview=preview)

    judged = judge(world)

    assert judged.findings == []
    assert bool(judged.pending) is preview


NO_RULE_OWNS: dict[Setting, str] = {
    (FUNCTION, ("loggingConfig", "logFormat")): (
        "A free choice: AWS takes Text and JSON only, and either is kept as long."
    ),
    (ALARM, ("alarmActions",)): "Whom an alarm tells is the account's own affair; the console shows all.",
    (ALARM, ("okActions",)): "As with alarmActions.",
    (DASHBOARD, ("dashboardName",)): "A name like any other.",
    (DASHBOARD, ("dashboardBody",)): "A picture: nothing acts on it.",
}
"""Registered settings that no mutation moves, each with the reason why any value that AWS takes will do."""


def test_every_registered_setting_is_mutated_alone_or_free_for_a_reason() -> None:
    registered: dict[Setting, Setting] = {}
    mutated: set[Setting] = set()
    for stack in ("dev", "prod"):
        for preview in (True, False):
            original = recorded(stack, preview=preview)
            before = {made.name: dict(_leaves(made.inputs)) for made in original if made.inputs}
            registered |= {
                (made.name, path): (made.type, path) for made in original for path, _ in _leaves(made.inputs)
            }
            for mutation in mutations(stack):
                if mutation.preview is preview:
                    world = recorded(stack, preview=preview)
                    mutation.change(world)
                    mutated |= _only_change(before, world)

    owned_by_none = {kind for key, kind in registered.items() if key not in mutated}

    assert owned_by_none == NO_RULE_OWNS.keys()
    assert all(reason.endswith(".") for reason in NO_RULE_OWNS.values())


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every path to something that is no object, and what is there."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, (*path, name))
    else:
        yield path, value


def _only_change(before: dict[str, dict[tuple[str, ...], Any]], world: World) -> set[Setting]:
    """The setting that a world has another value of, or lacks; none if there are more or a resource is gone."""
    after = {made.name: dict(_leaves(made.inputs)) for made in world if made.inputs}
    changed = {
        (name, path)
        for name, leaves in before.items()
        for path, value in leaves.items()
        if after.get(name, {}).get(path) != value
    }
    return changed if len(changed) == 1 else set()


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
