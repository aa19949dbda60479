"""The stacks that come with the program: their files name what differs from the defaults, and fit together."""

from collections.abc import Mapping

import pytest
import yaml

from components import limits
from components.settings import ConfigurationError, parse_settings
from outbox.transaction import MAXIMUM_ACTIONS
from tests.unit.recording import PROJECT
from tests.unit.root_program import ROOT, stack_config, values_of


def own_config(stack: str) -> dict[str, str]:
    """A stack file's keys without their namespace."""
    return {
        key.partition(":")[2]: text
        for key, text in stack_config(stack).items()
        if key.startswith(f"{PROJECT}:")
    }


def test_pulumi_yaml_names_the_runtime_that_make_sets_up() -> None:
    project = yaml.safe_load((ROOT / "Pulumi.yaml").read_text(encoding="utf-8"))

    assert project["name"] == PROJECT
    assert project["runtime"] == {"name": "python", "options": {"toolchain": "pip", "virtualenv": ".venv"}}


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_stack_file_names_only_what_differs_from_the_defaults(stack: str) -> None:
    own = own_config(stack)

    said_in_vain = [key for key in own if meaning({**own, key: None}) == meaning(own)]

    assert said_in_vain == []


def meaning(values: Mapping[str, str | None]) -> object:
    """Settings of each component by a configuration; a sentence where its values do not fit together."""
    try:
        return values_of(
            parse_settings(PROJECT, {key: text for key, text in values.items() if text is not None})
        )
    except ConfigurationError as error:
        return str(error)


def test_prod_batch_of_messages_fits_one_transaction_with_its_total() -> None:
    settings = parse_settings(PROJECT, own_config("prod"))

    assert limits.QUEUE_BATCH_SIZE.read(settings.consumer) + 1 == MAXIMUM_ACTIONS


def test_prod_stack_leaves_its_region_to_the_user() -> None:
    assert not any(key.startswith("aws:") for key in stack_config("prod"))
