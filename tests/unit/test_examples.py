"""The examples' exports: each outbox has what the operator's verbs read, of the component that the table names."""

from typing import Any

import pytest
import yaml

from tests.outbox_cli.verbs import OUTPUTS
from tests.unit.root_program import ROOT, run_root

EXAMPLES = ROOT / "examples"
READ = OUTPUTS.keys() - {"domain", "relay_failure_queue_url", "stream_arn"}


def of_component(name: str, component: str) -> str:
    """How YAML names the output that an export of this name has."""
    words = [word for word in name.split("_") if word not in ("command", "relay", "consumer", "source")]
    return f"${{{component}.{words[0]}{''.join(map(str.title, words[1:]))}}}"


@pytest.mark.parametrize("outbox", ["books", "music"])
def test_yaml_example_exports_what_the_verbs_read_of_the_right_components(outbox: str) -> None:
    exported: Any = yaml.safe_load((EXAMPLES / "yaml" / "Pulumi.yaml").read_text("utf-8"))["outputs"][outbox]

    components = {"command": outbox, "source": outbox, "relay": f"{outbox}-relay"}
    expected = {
        name: of_component(name, components.get(name.partition("_")[0], f"{outbox}-sales")) for name in READ
    }
    failures = exported.pop("relay_failure_queue_url", None)
    assert exported == {**expected, "domain": "orders"}
    assert failures in (None, f"${{{outbox}-relay.failureQueueUrl}}")


def test_python_example_exports_what_the_verbs_read() -> None:
    exports = run_root(directory=EXAMPLES / "python").exports

    assert [exports[outbox]["domain"] for outbox in ("shop", "stock")] == ["orders", None]
    assert [READ - exports[outbox].keys() for outbox in ("shop", "stock")] == [set(), set()]
