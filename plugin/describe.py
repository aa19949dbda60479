"""Writes down what the components offer: `schema.json` beside this file, and the tables of `docs/components.md`.

Both are made from the schema that the plugin itself serves; tests compare them with it.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from components import limits
from components.settings import config_key
from plugin.provider import OutboxProvider

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = ROOT / "plugin" / "schema.json"
DOCUMENT = ROOT / "docs" / "components.md"
BEGIN, END = "<!-- tables: written by `make schema` -->", "<!-- end of the tables -->"

# An argument is named like the setting of the same meaning; a switch is off unless it is named.
DEFAULTS = {
    config_key(rule.field): rule.default for rule in vars(limits).values() if hasattr(rule, "default")
}

Schema = Mapping[str, Any]


def package_schema() -> Schema:
    """The package's schema, as the plugin serves it to the engine and to `pulumi package add`."""
    schema: Schema = json.loads(OutboxProvider().schema or "")
    return schema


def schema_text(schema: Schema) -> str:
    """The stored form: sorted, so that a change shows where it was made."""
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def with_tables(document: str, schema: Schema) -> str:
    """The document with the tables between its marks made anew."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{_tables(schema)}\n{END}{after}"


def _tables(schema: Schema) -> str:
    return "\n".join(
        _component(token.rpartition(":")[2], resource)
        for token, resource in sorted(schema["resources"].items())
    )


def _component(name: str, resource: Schema) -> str:
    required = resource.get("requiredInputs", [])
    arguments = [
        f"| `{argument}` | {_type(found)} | {_default(argument, found, required)} | {_cell(found)} |"
        for argument, found in sorted(
            resource["inputProperties"].items(), key=lambda each: (each[0] not in required, each[0])
        )
    ]
    outputs = [f"| `{output}` | {_cell(found)} |" for output, found in sorted(resource["properties"].items())]
    return "\n".join(
        [
            f"### {name}\n\n{_paragraphs(resource)}\n",
            "| argument | type | default | meaning |\n|---|---|---|---|",
            *arguments,
            "\n| output | meaning |\n|---|---|",
            *outputs,
            "",
        ]
    )


def _type(found: Schema) -> str:
    return f"list of {_type(found['items'])}" if found["type"] == "array" else str(found["type"])


def _default(argument: str, found: Schema, required: Sequence[str]) -> str:
    if argument in required:
        return "required"
    if argument in DEFAULTS:
        return f"`{DEFAULTS[argument]}`"
    return "`false`" if found["type"] == "boolean" else ""


def _cell(found: Schema) -> str:
    return " ".join(found["description"].split())


def _paragraphs(found: Schema) -> str:
    paragraphs = found["description"].split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def main() -> None:
    """Writes both anew."""
    schema = package_schema()
    SCHEMA.write_text(schema_text(schema), encoding="utf-8")
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text("utf-8"), schema), encoding="utf-8")


if __name__ == "__main__":
    main()
