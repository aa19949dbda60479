"""Transforms of a program's resources: each has its say, in the engine's order."""

import pytest

from outbox_local.errors import ProgramError
from tests.outbox_local.programs import Program

WATCHED = """
import pulumi
from pulumi_aws import sqs

def tagging(word):
    def transform(args):
        if args.type_ != "aws:sqs/queue:Queue":
            return None
        tags = {**args.props.get("tags", {}), "said": args.props.get("tags", {}).get("said", "") + word}
        return pulumi.ResourceTransformResult({**args.props, "tags": tags}, args.opts)
    return transform

class Group(pulumi.ComponentResource):
    def __init__(self, name, opts):
        super().__init__("own:index:Group", name, {}, opts)
        sqs.Queue(name, opts=pulumi.ResourceOptions(parent=self, transforms=[tagging("a"), tagging("b")]))

pulumi.runtime.register_resource_transform(tagging("e"))
outer = Group("outer", pulumi.ResourceOptions(transforms=[tagging("d")]))
Group("inner", pulumi.ResourceOptions(parent=outer, transforms=[tagging("c")]))
sqs.Queue("alone")
"""

LATE = """
import asyncio, pulumi
from pulumi_aws import sqs

first = sqs.Queue("first", message_retention_seconds=600)

async def later(args):
    await asyncio.sleep(0)
    return pulumi.ResourceTransformResult(
        {**args.props, "messageRetentionSeconds": first.message_retention_seconds.apply(lambda s: s * 2)}, args.opts
    )

sqs.Queue("second", opts=pulumi.ResourceOptions(transforms=[later]))
"""
QUEUE = "aws:sqs/queue:Queue"


def test_transforms_run_from_the_resource_to_the_stack(program: Program) -> None:
    program.deploy(WATCHED)

    said = {name: state.inputs["tags"]["said"] for (_, name), state in program.deployment.resources.items()}
    assert said == {"outer": "abde", "inner": "abcde", "alone": "e"}


def test_transform_may_wait_and_answer_with_an_output(program: Program) -> None:
    program.deploy(LATE)

    assert program.deployment.resources[QUEUE, "second"].inputs["messageRetentionSeconds"] == 1200


def test_transform_that_fails_is_told_and_makes_nothing(program: Program) -> None:
    source = "def no(args): raise ValueError('not this one')\n" + WATCHED.replace('tagging("e")', "no")

    with pytest.raises(ProgramError, match="not this one"):
        program.deploy(source)

    assert program.deployment.resources == {}
