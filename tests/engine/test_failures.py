"""Messages to a user, and to whoever reads a failed test, when the engine or the program fails."""

import os
from pathlib import Path

import pytest

from engine import stack
from tests.engine.harness import Stack


def test_failed_command_is_told_in_the_engines_words_with_the_stacks_name(dev: Stack, program: Path) -> None:
    (program / "__main__.py").write_text("raise ValueError('amount must be 1 to 5, not 9.')")

    with pytest.raises(pytest.fail.Exception) as failure:
        dev.up()

    assert failure.value.pytrace is False
    assert "Stack 'dev': `pulumi up" in str(failure.value)
    assert "amount must be 1 to 5, not 9." in str(failure.value)
    assert "engine/stack.py" not in str(failure.value)


def test_command_that_does_not_end_is_told_with_what_it_printed_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "pulumi"
    engine.write_text("#!/bin/sh\necho 'Updating (dev)'\necho 'waiting for sales-queue' >&2\nexec sleep 60\n")
    engine.chmod(0o755)
    monkeypatch.setattr(stack, "COMMAND_TIMEOUT_SECONDS", 2)

    with pytest.raises(pytest.fail.Exception) as failure:
        Stack("dev", tmp_path, {"PATH": f"{tmp_path}{os.pathsep}{os.defpath}"}).up()

    assert failure.value.pytrace is False
    assert "Stack 'dev': `pulumi up --yes --skip-preview` did not end in 2 seconds." in str(failure.value)
    assert str(failure.value).endswith("\nUpdating (dev)\nwaiting for sales-queue")


def test_setting_out_of_range_stops_the_program_with_its_sentence(dev: Stack) -> None:
    dev.configure("transactional-outbox:queueBatchSize", "0")

    refused = dev.preview(fails=True)

    assert "queueBatchSize" in refused.output
    assert "1 to 10000" in refused.output


def test_value_that_a_component_refuses_is_told_in_its_sentence_alone(dev: Stack, program: Path) -> None:
    (program / "__main__.py").write_text(
        "from components import OutboxSource\nOutboxSource('orders', {'protect_table': True})"
    )

    refused = dev.preview(fails=True)

    assert "OutboxSource has no argument protect_table. Did you mean protect_tables?" in refused.output
    assert "__main__.py" not in refused.output


def test_refused_resource_is_told_in_one_sentence(dev: Stack, program: Path) -> None:
    (program / "__main__.py").write_text("from pulumi_aws import s3\ns3.Bucket('b')")

    refused = dev.up(fails=True)

    assert "The local AWS does not know the resource type 'aws:s3/bucket:Bucket'" in refused.output
    assert "Traceback" not in refused.output
