"""The harness itself: a test that checked nothing fails."""

import pulumi
import pytest

from components.outbox_source import OutboxSource
from tests.unit.aws_mocks import AwsMocks
from tests.unit.recording import resolve, run


def test_output_that_stays_unknown_fails_the_test_that_reads_it() -> None:
    def table_arn() -> pulumi.Output[str]:
        return OutboxSource("orders", {}).table_arn

    known = resolve(table_arn)
    with pytest.raises(AssertionError, match="the output is not known"):
        resolve(table_arn, AwsMocks(preview=True))

    assert known.endswith(":table/orders-source-1a2b3c4")


def test_failure_inside_a_callback_fails_the_run() -> None:
    def fail(_: str) -> str:
        raise AssertionError("raised inside a callback")

    with pytest.raises(AssertionError, match="raised inside a callback"):
        run(lambda: OutboxSource("orders", {}).table_arn.apply(fail))


def test_lookup_fails_the_run() -> None:
    with pytest.raises(Exception, match="The program looked something up: aws:index/getRegion"):
        run(
            lambda: pulumi.Output.from_input(pulumi.runtime.invoke("aws:index/getRegion:getRegion", {}).value)
        )
